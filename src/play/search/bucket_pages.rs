//! Buckets of a table, in memory that is allocated page by page, when one of a page's buckets is first written to.
//!
//! An allocator fills reused memory with zeros. For a table of 64 MiB, this would cost each player as much time as some
//! hundred thousand states, before the first move.

/// Buckets of `width` items each, which begin as default values.
pub(super) struct BucketPages<T> {
    /// A page that was never written to is empty.
    pages: Vec<Box<[T]>>,
    /// Items of a bucket.
    width: usize,
    /// Buckets of a page are two to this power.
    shift: u32,
    buckets: usize,
}

impl<T: Copy + Default> BucketPages<T> {
    /// `buckets` buckets of `width` items, in pages of at most `page` buckets.
    pub(super) fn new(buckets: usize, width: usize, page: usize) -> BucketPages<T> {
        let shift = page.max(1).ilog2();
        let pages = (0..buckets.div_ceil(1 << shift)).map(|_| Box::default()).collect();
        BucketPages { pages, width, shift, buckets }
    }

    /// The greatest possible number of buckets.
    pub(super) fn len(&self) -> usize {
        self.buckets
    }

    /// The position of a bucket's items: the page, and the offset in it.
    fn place(&self, bucket: usize) -> (usize, usize) {
        (bucket >> self.shift, (bucket & ((1 << self.shift) - 1)) * self.width)
    }

    /// The items of a bucket; empty if its page was never written to.
    pub(super) fn get(&self, bucket: usize) -> &[T] {
        let (page, begin) = self.place(bucket);
        self.pages.get(page).and_then(|page| page.get(begin..begin + self.width)).unwrap_or(&[])
    }

    /// The items of a bucket below [`BucketPages::len`].
    pub(super) fn get_mut(&mut self, bucket: usize) -> &mut [T] {
        let (page, begin) = self.place(bucket);
        let items = &mut self.pages[page];
        if items.is_empty() {
            *items = vec![T::default(); self.width << self.shift].into();
        }
        &mut items[begin..begin + self.width]
    }

    /// Resets all items to their default.
    pub(super) fn clear(&mut self) {
        self.pages.iter_mut().for_each(|page| page.fill(T::default()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_exist_after_the_first_write() {
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
    fn zero_buckets_have_no_pages() {
        assert_eq!(BucketPages::<u64>::new(0, 4, 8).get(0), &[] as &[u64]);
    }
}
