//! Buckets of a table, in memory that is taken page by page: a page when one of its buckets is written to for the first time.
//!
//! An allocator writes zeros over all of the memory that it hands out again, so that a table of 64 MiB would cost each player
//! as much as some hundred thousand states do, before the first of them.

/// Buckets of as many items each, which are nothing at first.
pub(super) struct BucketPages<T> {
    /// Pages that nothing was written to are empty.
    pages: Vec<Box<[T]>>,
    /// Items of a bucket.
    width: usize,
    /// Buckets of a page are two to this power.
    shift: u32,
    buckets: usize,
}

impl<T: Copy + Default> BucketPages<T> {
    /// So many buckets of `width` items, in pages of `page` buckets at most.
    pub(super) fn new(buckets: usize, width: usize, page: usize) -> BucketPages<T> {
        let shift = page.max(1).ilog2();
        let pages = (0..buckets.div_ceil(1 << shift)).map(|_| Box::default()).collect();
        BucketPages { pages, width, shift, buckets }
    }

    /// Buckets there may be.
    pub(super) fn len(&self) -> usize {
        self.buckets
    }

    /// Where a bucket's items stand: their page, and where they begin on it.
    fn place(&self, bucket: usize) -> (usize, usize) {
        (bucket >> self.shift, (bucket & ((1 << self.shift) - 1)) * self.width)
    }

    /// The items of a bucket; none where nothing was written to its page.
    pub(super) fn get(&self, bucket: usize) -> &[T] {
        let (page, begin) = self.place(bucket);
        self.pages.get(page).and_then(|page| page.get(begin..begin + self.width)).unwrap_or(&[])
    }

    /// The items of one of the buckets there may be.
    pub(super) fn get_mut(&mut self, bucket: usize) -> &mut [T] {
        let (page, begin) = self.place(bucket);
        let items = &mut self.pages[page];
        if items.is_empty() {
            *items = vec![T::default(); self.width << self.shift].into();
        }
        &mut items[begin..begin + self.width]
    }

    /// Makes all items nothing.
    pub(super) fn clear(&mut self) {
        self.pages.iter_mut().for_each(|page| page.fill(T::default()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_there_when_it_was_written_to() {
        let mut pages = BucketPages::<u64>::new(10, 3, 5);
        assert_eq!(pages.pages.len(), 3, "pages have four buckets, a power of two");
        assert!((0..10).all(|bucket| pages.get(bucket).is_empty()));
        pages.get_mut(5).copy_from_slice(&[7, 8, 9]);
        assert_eq!(pages.get(5), [7, 8, 9]);
        assert_eq!(pages.get(4), [0; 3]);
        assert!(pages.get(3).is_empty() && pages.get(8).is_empty());
        pages.clear();
        assert_eq!(pages.get(5), [0; 3]);
    }

    #[test]
    fn no_buckets_are_no_pages() {
        assert_eq!(BucketPages::<u64>::new(0, 4, 8).get(0), &[] as &[u64]);
    }
}
