//! Distances of the facts of a group to places, kept up as facts come and go.

use super::fluents::{GoalLocation, Group};

/// How much the nearest fact counts beside the mean: a place that one thing has to reach is as near as that one, and where
/// several have to, all of them count.
pub(super) const NEAREST: f64 = 0.5;

/// Where the facts of groups are.
pub(super) struct Distances {
    groups: Vec<Members>,
}

/// The facts of a group that hold.
struct Members {
    count: u32,
    axes: Vec<Axis>,
    /// Their places, axis by axis, one after the other in no order.
    places: Vec<u32>,
}

/// An axis: its size and, for each place, the sum of the facts' distances to it.
struct Axis {
    size: f64,
    sums: Vec<u32>,
}

impl Distances {
    /// No facts yet.
    pub(super) fn new(groups: &[Group]) -> Distances {
        let axis = |&size: &u32| Axis { size: f64::from(size), sums: vec![0; size as usize] };
        let members = |group: &Group| Members {
            count: 0,
            axes: group.sizes.iter().map(axis).collect(),
            places: Vec::new(),
        };
        Distances { groups: groups.iter().map(members).collect() }
    }

    /// A fact at these places, axis by axis, has come or gone.
    pub(super) fn flip(&mut self, group: usize, places: &[u32], holds: bool) {
        let members = &mut self.groups[group];
        members.count = if holds { members.count + 1 } else { members.count - 1 };
        let width = places.len();
        if holds {
            members.places.extend(places);
        } else if let Some(at) = members.places.chunks(width.max(1)).position(|known| known == places) {
            let last = members.places.len() - width;
            members.places.copy_within(last.., at * width);
            members.places.truncate(last);
        }
        for (axis, &place) in members.axes.iter_mut().zip(places) {
            for (to, sum) in axis.sums.iter_mut().enumerate() {
                let steps = place.abs_diff(to as u32);
                *sum = if holds { *sum + steps } else { *sum - steps };
            }
        }
    }

    /// 1 less the distance of the group's facts to the wanted places, in parts of the axes: half that of the nearest, half the
    /// mean; 0 where there is no fact.
    pub(super) fn closeness(&self, wanted: &GoalLocation) -> f64 {
        let members = &self.groups[wanted.group as usize];
        if members.count == 0 {
            return 0.0;
        }
        let (mut far, mut axes) = (0.0, 0.0);
        for (axis, place) in members.axes.iter().zip(&wanted.places) {
            if let Some(place) = place {
                far += f64::from(axis.sums[*place as usize]) / axis.size;
                axes += 1.0;
            }
        }
        let mean = 1.0 - far / (axes * f64::from(members.count));
        let steps_of = |places: &[u32]| -> f64 {
            let axes = members.axes.iter().zip(&wanted.places).zip(places);
            let steps = axes.filter_map(|((axis, wanted), place)| {
                wanted.map(|wanted| f64::from(place.abs_diff(wanted)) / axis.size)
            });
            steps.sum()
        };
        let all = members.places.chunks(members.axes.len().max(1));
        let nearest = 1.0 - all.map(steps_of).fold(f64::INFINITY, f64::min) / axes;
        NEAREST * nearest + (1.0 - NEAREST) * mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_counts_as_much_as_the_mean() {
        // Two pawns on an axis of 8 places, 1 and 5 steps from the last.
        let mut distances = Distances::new(&[Group { sizes: vec![8, 4], leaves: Vec::new() }]);
        let last = GoalLocation { group: 0, places: vec![Some(7), None] };
        assert_eq!(distances.closeness(&last), 0.0);
        distances.flip(0, &[6, 0], true);
        assert_eq!(distances.closeness(&last), 1.0 - 1.0 / 8.0);
        distances.flip(0, &[2, 3], true);
        assert_eq!(distances.closeness(&last), 1.0 - (1.0 + 3.0) / 2.0 / 8.0);
        // The one behind walks on, which counts less than a step of the one in front.
        distances.flip(0, &[2, 3], false);
        distances.flip(0, &[3, 3], true);
        assert_eq!(distances.closeness(&last), 1.0 - (1.0 + 2.5) / 2.0 / 8.0);
        distances.flip(0, &[6, 0], false);
        assert_eq!(distances.closeness(&last), 1.0 - 4.0 / 8.0);
        // Both axes are wanted: the mean over them.
        let corner = GoalLocation { group: 0, places: vec![Some(7), Some(1)] };
        assert_eq!(distances.closeness(&corner), 1.0 - (4.0 / 8.0 + 2.0 / 4.0) / 2.0);
    }
}
