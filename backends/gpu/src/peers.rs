//! Direct access of one device to the memory of another. The first copy between two devices opens it, since the driver
//! otherwise sends copies by way of the host.

use cuproxide_hal::{DeviceId, Result};
use parking_lot::Mutex;

use crate::Driver;
use crate::context::Primary;

/// What is known of the way from a device to the memory of another.
struct Way {
    ends: [DeviceId; 2],
    /// Opened for copies, which the program does not know.
    ours: bool,
}

static WAYS: Mutex<Vec<Way>> = Mutex::new(Vec::new());

/// Whether the hardware lets a device reach the memory of another.
pub(crate) fn can_access(driver: &Driver, own: Primary, peer: Primary) -> Result<bool> {
    let (mut can, mut mine, mut theirs) = (0, 0, 0);
    // SAFETY: the driver writes three integers.
    unsafe {
        driver.device_get(&mut mine, own.ordinal as i32)?;
        driver.device_get(&mut theirs, peer.ordinal as i32)?;
        driver.peer_can_access(&mut can, mine, theirs)?;
    }
    Ok(can != 0)
}

/// Opens the ways between two devices, unless that was tried before.
pub(crate) fn connect(driver: &'static Driver, one: Primary, other: Primary) -> Result<()> {
    for (own, peer) in [(one, other), (other, one)] {
        let ends = [own.id(), peer.id()];
        let mut ways = WAYS.lock();
        if ways.iter().any(|way| way.ends == ends) {
            continue;
        }
        let mut ours = false;
        if own.id() != peer.id() && can_access(driver, own, peer)? {
            own.enter(driver)?;
            // Refused if the program has opened it: then it is the program's.
            // SAFETY: both contexts are retained.
            ours = unsafe { driver.peer_enable(peer.context, 0) }.is_ok();
        }
        ways.push(Way { ends, ours });
    }
    Ok(())
}

/// Notes that the program opens or closes a way itself; true if it is open by a copy.
pub(crate) fn take_over(own: Primary, peer: Primary) -> bool {
    let ends = [own.id(), peer.id()];
    let mut ways = WAYS.lock();
    match ways.iter_mut().find(|way| way.ends == ends) {
        Some(way) => std::mem::take(&mut way.ours),
        None => {
            ways.push(Way { ends, ours: false });
            false
        }
    }
}
