//! Mean distances of the facts of a group to places, kept up as facts come and go.

use super::fluents::{GoalLocation, Group};

/// Where the facts of groups are.
pub(super) struct Distances {
    groups: Vec<Members>,
}

/// The facts of a group that hold.
struct Members {
    count: u32,
    axes: Vec<Axis>,
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
        let members = |group: &Group| Members { count: 0, axes: group.sizes.iter().map(axis).collect() };
        Distances { groups: groups.iter().map(members).collect() }
    }

    /// A fact at these places, axis by axis, has come or gone.
    pub(super) fn flip(&mut self, group: usize, places: &[u32], holds: bool) {
        let members = &mut self.groups[group];
        members.count = if holds { members.count + 1 } else { members.count - 1 };
        for (axis, &place) in members.axes.iter_mut().zip(places) {
            for (to, sum) in axis.sums.iter_mut().enumerate() {
                let steps = place.abs_diff(to as u32);
                *sum = if holds { *sum + steps } else { *sum - steps };
            }
        }
    }

    /// 1 less the mean distance of the group's facts to the wanted places, in parts of the axes; 0 where there is no
    /// fact.
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
        1.0 - far / (axes * f64::from(members.count))
    }
}
