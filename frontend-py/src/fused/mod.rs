//! Functions that run once for each kind of arguments, and then as what was traced ([`cuproxide_core::replay`]).

mod key;
mod results;

use std::sync::Arc;

use cuproxide_core::Context;
use cuproxide_core::fusion;
use cuproxide_core::replay::{self, Traced, Tracing};
use cuproxide_core::trace::{self, Refusal};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyDictMethods, PyList, PyTuple};

use self::key::{Key, Reader, Slot, Source, Unfit};
use self::results::{Pattern, Results};
use crate::errors::Result;
use crate::ndarray::NdArray;
use crate::traced_number::{TracedNumber, restore_exception, without};
use crate::wait;

/// Most kinds of calls that a function remembers; the one not used for longest goes.
const CAPACITY: usize = 32;
/// Traces of a function, one after another, none of which is used again, after which it is traced no more.
const PATIENCE: usize = 32;

/// What is known of one kind of calls.
struct Known {
    hash: u64,
    key: Key,
    /// What the key's objects were found by.
    sources: Arc<[Source]>,
    outcome: Outcome,
}

enum Outcome {
    Traced(Box<Traced>, Pattern),
    /// Calls of this kind run as they are written.
    Refused(Unfit),
}

#[derive(Default)]
struct State {
    /// Where the function finds what is no argument; none before its first trace.
    sources: Option<Arc<[Source]>>,
    /// The most recently used last.
    known: Vec<Arc<Known>>,
    /// Arguments that are floats and differ from call to call: kernels take them as arguments.
    varying: Vec<Slot>,
    /// Those of them whose values the function looks at, so that each is traced by itself.
    looked_at: Vec<Slot>,
    /// Traces since one was used.
    wasted: usize,
    /// Whether the function, or one that it calls, catches exceptions.
    catches: bool,
    /// Whether it may tell a number of the trace from a float.
    exact: bool,
    /// Calls by what became of them.
    traces: u64,
    replays: u64,
    plain: u64,
    /// Why no call can be traced.
    refused: Option<Unfit>,
    /// Why the last call ran as it is written.
    reason: Option<Unfit>,
}

/// A function that is traced once for each kind of arguments.
#[pyclass(frozen, module = "cuproxide._cuproxide", weakref)]
pub struct FusedFunction {
    function: Py<PyAny>,
    name: Arc<str>,
    /// The module that reads code: where a function finds what is no argument, or why that cannot be said.
    survey: Py<PyAny>,
    static_positions: Vec<usize>,
    static_names: Vec<String>,
    state: Mutex<State>,
}

/// The arguments of a call.
#[derive(Clone, Copy)]
struct Arguments<'a, 'py> {
    py: Python<'py>,
    args: &'a Bound<'py, PyTuple>,
    named: Option<&'a Bound<'py, PyDict>>,
}

#[pymethods]
impl FusedFunction {
    #[new]
    fn __new__(
        function: Py<PyAny>,
        name: &str,
        survey: Py<PyAny>,
        static_positions: Vec<usize>,
        static_names: Vec<String>,
    ) -> FusedFunction {
        FusedFunction { function, name: name.into(), survey, static_positions, static_names, state: Mutex::default() }
    }

    #[pyo3(signature = (*args, **named))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        let call = Arguments { py, args, named };
        // Within another trace this is a part of that.
        if trace::is_on() {
            return self.run(call);
        }
        let (sources, refused) = {
            let state = self.state.lock();
            (state.sources.clone(), state.refused.is_some())
        };
        if refused {
            return self.run_plainly(call, None);
        }
        let read = match self.read(call, sources.as_deref().unwrap_or(&[]), false) {
            Ok(read) => read,
            Err(reason) => return self.run_plainly(call, Some(reason)),
        };
        if let Some(sources) = &sources
            && let Some(known) = self.find(&read, sources)
        {
            return match &known.outcome {
                Outcome::Refused(reason) => self.run_plainly(call, Some(reason.clone())),
                Outcome::Traced(traced, pattern) => {
                    let (inputs, numbers) = (&read.inputs, read.numbers());
                    let work = || traced.replay(inputs, &numbers);
                    match wait::operation(py, traced.context(), traced.elements(), work)? {
                        Some(memory) => pattern.build(py, &read, &memory),
                        None => self.run_plainly(call, Some("its arguments have another memory layout".to_owned())),
                    }
                }
            };
        }
        drop(read);
        self.trace(call)
    }

    /// Sets the counts of calls to zero.
    fn clear(&self) {
        let mut state = self.state.lock();
        (state.traces, state.replays, state.plain, state.reason) = (0, 0, 0, None);
    }

    /// What became of calls: the name, launches of each trace, calls that were traced, that were replayed, that ran as they are
    /// written, and why the last of these did.
    fn status(&self) -> (String, Vec<usize>, u64, u64, u64, Option<String>) {
        let state = self.state.lock();
        let launches = state.known.iter().filter_map(|known| match &known.outcome {
            Outcome::Traced(traced, _) => Some(traced.launches()),
            Outcome::Refused(_) => None,
        });
        let reason = state.refused.clone().or_else(|| state.reason.clone());
        (self.name.to_string(), launches.collect(), state.traces, state.replays, state.plain, reason)
    }
}

impl FusedFunction {
    fn read<'py>(
        &self,
        call: Arguments<'_, 'py>,
        sources: &[Source],
        keeps: bool,
    ) -> std::result::Result<Reader<'py>, Unfit> {
        let is_static = |position: usize, name: Option<&Bound<'py, PyAny>>| match name {
            None => self.static_positions.contains(&position),
            Some(_) if self.static_names.is_empty() => false,
            Some(name) => name.extract::<&str>().is_ok_and(|name| self.static_names.iter().any(|known| known == name)),
        };
        let varying = self.state.lock().varying.clone();
        let mut read = Reader::read(call.args, call.named, is_static, &varying, keeps)?;
        read.surroundings(call.py, sources)?;
        if read.arrays.is_empty() {
            return Err("there is no array among its arguments".to_owned());
        }
        if replay::may_overlap(&read.inputs) {
            return Err("arguments of other libraries share memory".to_owned());
        }
        Ok(read)
    }

    /// What is known of a call's kind, whose surroundings were read from `sources`.
    fn known(&self, read: &Reader<'_>, sources: &Arc<[Source]>) -> Option<Arc<Known>> {
        let hash = read.hash();
        let may_be = |known: &&Arc<Known>| known.hash == hash && Arc::ptr_eq(&known.sources, sources);
        let candidates: smallvec::SmallVec<[Arc<Known>; 2]> =
            self.state.lock().known.iter().rev().filter(may_be).cloned().collect();
        // Compared without the lock: objects may have functions of their own for that.
        candidates.into_iter().find(|known| read.is(&known.key))
    }

    /// What is known of a call's kind, for a call that uses it.
    fn find(&self, read: &Reader<'_>, sources: &Arc<[Source]>) -> Option<Arc<Known>> {
        let found = self.known(read, sources)?;
        let mut state = self.state.lock();
        state.wasted = 0;
        state.replays += u64::from(matches!(found.outcome, Outcome::Traced(..)));
        if let Some(position) = state.known.iter().position(|known| Arc::ptr_eq(known, &found))
            && position + 1 != state.known.len()
        {
            let known = state.known.remove(position);
            state.known.push(known);
        }
        Some(found)
    }

    /// Runs the function as it is written, and says why.
    fn run_plainly<'py>(&self, call: Arguments<'_, 'py>, reason: Option<Unfit>) -> Result<Bound<'py, PyAny>> {
        {
            let mut state = self.state.lock();
            state.plain += 1;
            if reason.is_some() {
                state.reason = reason;
            }
        }
        self.run(call)
    }

    /// Runs the function with its operations deferred.
    fn run<'py>(&self, call: Arguments<'_, 'py>) -> Result<Bound<'py, PyAny>> {
        let result = self.call(call)?;
        if fusion::is_eager() {
            evaluate(&result)?;
        }
        Ok(result)
    }

    fn call<'py>(&self, call: Arguments<'_, 'py>) -> Result<Bound<'py, PyAny>> {
        struct Restore(Option<Arc<str>>);
        impl Drop for Restore {
            fn drop(&mut self) {
                fusion::set_fusing(self.0.take());
            }
        }
        let _restore = Restore(fusion::set_fusing(Some(self.name.clone())));
        Ok(self.function.bind(call.py).call(call.args, call.named)?)
    }

    /// Runs the function and keeps what it came to.
    fn trace<'py>(&self, call: Arguments<'_, 'py>) -> Result<Bound<'py, PyAny>> {
        let py = call.py;
        let sources = match self.sources(py)? {
            Ok(sources) => sources,
            Err(reason) => {
                self.state.lock().refused = Some(reason);
                return self.run_plainly(call, None);
            }
        };
        let read = match self.read(call, &sources, true) {
            Ok(read) => read,
            Err(reason) => return self.run_plainly(call, Some(reason)),
        };
        if !self.knows(py, "knows_module", &read.modules)? {
            return self.run_plainly(call, Some("one of its arguments or captured objects is a module".to_owned()));
        }
        let read = match self.widen(py, &read)? {
            false => read,
            true => match self.read(call, &sources, true) {
                Ok(read) => read,
                Err(reason) => return self.run_plainly(call, Some(reason)),
            },
        };
        let Some(context) = read.context.clone() else { return self.run_plainly(call, None) };
        if is_captured(&context) {
            return self.run_plainly(call, Some("a graph is captured".to_owned()));
        }
        let varying: Vec<Slot> =
            read.floats.iter().filter(|float| float.varies).map(|float| float.slot.clone()).collect();
        let tracing = Tracing::begin(&context, read.inputs.to_vec())?;
        let result = if varying.is_empty() {
            self.call(call)?
        } else {
            let (args, named) = replaced(call, &read)?;
            match self.call(Arguments { py, args: &args, named: named.as_ref() }) {
                Ok(result) => without(&result)?,
                Err(error) => {
                    // The function may not have taken what stands for a number. It runs again if it has changed nothing.
                    restore(call, &sources)?;
                    let finished = wait::long(py, || tracing.finish(&self.name, &[]))?;
                    let writes = finished.map_or(true, |(traced, _)| traced.writes_inputs());
                    let is_unchanged = self.is_unchanged(call, &sources, &read);
                    self.look_at(&varying);
                    if writes || !is_unchanged {
                        let error = PyErr::from(error);
                        restore_exception(error.value(py).as_any())?;
                        return Err(error.into());
                    }
                    return self.run_plainly(call, None);
                }
            }
        };
        if !varying.is_empty() {
            restore(call, &sources)?;
        }
        let results = Results::read(&result, &read);
        let arrays = results.as_ref().map(Results::arrays).unwrap_or_default();
        let finished = match wait::long(py, || tracing.finish(&self.name, &arrays))? {
            Ok(traced) => Ok(traced),
            Err(Refusal::Unfit(reason)) => Err(reason),
            Err(Refusal::Spoilt) => {
                self.miss();
                return Ok(result);
            }
        };
        if let (false, Err(_), Ok((traced, _))) = (varying.is_empty(), &results, &finished)
            && !traced.writes_inputs()
            && self.is_unchanged(call, &sources, &read)
        {
            // Numbers of the trace may be within objects from which they cannot be taken.
            self.look_at(&varying);
            return self.run_plainly(call, None);
        }
        let key = read.key();
        let outcome = match (finished, results) {
            (Err(reason), _) | (_, Err(reason)) => Outcome::Refused(reason),
            (Ok((traced, homes)), Ok(results)) => {
                let pattern = results.pattern(&homes, &read.inputs);
                if self.state.lock().catches && traced.may_raise() {
                    Outcome::Refused("it catches errors of kernels".to_owned())
                } else if self.is_unchanged(call, &sources, &read) {
                    Outcome::Traced(Box::new(traced), pattern)
                } else {
                    // Lists that it appends to, shapes that it assigns.
                    Outcome::Refused(
                        "it changes an argument or a captured object in more than its array elements".to_owned(),
                    )
                }
            }
        };
        if let Outcome::Traced(traced, _) = &outcome
            && traced.looked_at() != 0
        {
            let looked = |(number, _): &(usize, &Slot)| traced.looked_at() >> number & 1 == 1;
            let looked: Vec<Slot> = varying.iter().enumerate().filter(looked).map(|(_, slot)| slot.clone()).collect();
            self.look_at(&looked);
            self.state.lock().plain += 1;
            return Ok(result);
        }
        let refused = matches!(outcome, Outcome::Refused(_));
        // Another thread may have traced the same kind meanwhile, or found the surroundings elsewhere.
        let twin = self.known(&read, &sources);
        let known = Arc::new(Known { hash: read.hash(), key, sources, outcome });
        let mut forgotten = vec![];
        {
            let mut state = self.state.lock();
            if let Outcome::Refused(reason) = &known.outcome {
                state.reason = Some(reason.clone());
            }
            state.plain += u64::from(refused);
            state.traces += u64::from(!refused);
            let is_current = state.sources.as_ref().is_some_and(|now| Arc::ptr_eq(now, &known.sources));
            let is_new = is_current && twin.is_none();
            state.wasted += usize::from(is_new);
            if !is_new {
                forgotten.push(known);
            } else if state.wasted > PATIENCE {
                state.refused = Some(format!("{PATIENCE} calls after one another were of different kinds"));
                forgotten.append(&mut state.known);
            } else {
                if state.known.len() >= CAPACITY {
                    forgotten.push(state.known.remove(0));
                }
                state.known.push(known);
            }
        }
        // Without the lock: the last reference to an object may run the program's code.
        drop(forgotten);
        Ok(result)
    }

    /// Notes a trace that another thread's work has spoilt; a later call is traced again, but not without end.
    fn miss(&self) {
        let mut state = self.state.lock();
        state.plain += 1;
        state.reason = Some("another thread ran a part of it".to_owned());
        state.wasted += 1;
        if state.wasted > PATIENCE {
            state.refused = Some(format!("other threads ran parts of {PATIENCE} traces after one another"));
        }
    }

    /// Whether what a call takes and captures is as it was before the function ran, but for elements of arrays.
    fn is_unchanged<'py>(&self, call: Arguments<'_, 'py>, sources: &[Source], before: &Reader<'py>) -> bool {
        self.read(call, sources, false).is_ok_and(|now| now.is(&before.key()) && now.has_objects_of(before))
    }

    /// Asks the survey about each of some objects.
    fn knows(&self, py: Python<'_>, question: &str, objects: &[Bound<'_, PyAny>]) -> PyResult<bool> {
        for object in objects {
            if !self.survey.bind(py).call_method1(question, (object,))?.is_truthy()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lets floats vary that differ from those of a known kind of call, all else being equal; whether there are new ones.
    fn widen(&self, py: Python<'_>, read: &Reader<'_>) -> PyResult<bool> {
        if self.state.lock().exact {
            return Ok(false);
        }
        let known = self.state.lock().known.clone();
        let traced = |known: &&Arc<Known>| matches!(known.outcome, Outcome::Traced(..));
        let Some(slots) = known.iter().rev().filter(traced).find_map(|known| read.differing(&known.key)) else {
            return Ok(false);
        };
        if !self.knows(py, "takes_numbers", &read.fixed)? {
            return Ok(false);
        }
        let mut state = self.state.lock();
        let new: Vec<Slot> = slots
            .into_iter()
            .filter(|slot| !state.looked_at.contains(slot) && !state.varying.contains(slot))
            .filter(|_| state.varying.len() < 32)
            .collect();
        let any = !new.is_empty();
        state.varying.extend(new);
        Ok(any)
    }

    /// Notes that the function looks at the values of floats.
    fn look_at(&self, slots: &[Slot]) {
        let mut state = self.state.lock();
        state.varying.retain(|slot| !slots.contains(slot));
        state.looked_at.extend_from_slice(slots);
    }

    /// Where the function finds what is no argument, as it is now. Traces that were made when that was elsewhere are forgotten.
    fn sources(&self, py: Python<'_>) -> Result<std::result::Result<Arc<[Source]>, Unfit>> {
        let surveyed = self.survey.bind(py).call_method1("survey", (&self.function,))?;
        let Ok(found) = surveyed.cast::<PyTuple>() else { return Ok(Err(surveyed.extract::<String>()?)) };
        let rows = found.get_item(0)?.cast_into::<PyList>()?;
        let (catches, exact): (bool, bool) = (found.get_item(1)?.extract()?, found.get_item(2)?.extract()?);
        {
            let mut state = self.state.lock();
            (state.catches, state.exact) = (catches, exact);
            if exact {
                state.varying.clear();
            }
        }
        let sources = rows.iter().map(|row| Source::parse(&row)).collect::<PyResult<Vec<Source>>>()?;
        let before = self.state.lock().sources.clone();
        if let Some(before) = before
            && before.len() == sources.len()
            && before.iter().zip(&sources).all(|(a, b)| a.is(py, b))
        {
            return Ok(Ok(before));
        }
        let sources: Arc<[Source]> = sources.into();
        let (old, known) = {
            let mut state = self.state.lock();
            (state.sources.replace(sources.clone()), std::mem::take(&mut state.known))
        };
        drop((old, known));
        Ok(Ok(sources))
    }
}

/// The arguments of a call with numbers of the trace in place of the floats that vary.
fn replaced<'py>(
    call: Arguments<'_, 'py>,
    read: &Reader<'py>,
) -> Result<(Bound<'py, PyTuple>, Option<Bound<'py, PyDict>>)> {
    let mut args: Vec<Bound<'py, PyAny>> = call.args.iter().collect();
    let named = call.named.map(PyDictMethods::copy).transpose()?;
    for (number, float) in read.floats.iter().filter(|float| float.varies).enumerate() {
        let Some(traced) = TracedNumber::argument(number, float.value) else { continue };
        let traced = Bound::new(call.py, traced)?.into_any();
        match (&float.slot, &named) {
            (Slot::Position(position), _) => args[*position] = traced,
            (Slot::Name(name), Some(named)) => named.set_item(name, traced)?,
            (Slot::Name(_), None) => {}
        }
    }
    Ok((PyTuple::new(call.py, args)?, named))
}

/// Takes the numbers of a trace out of the lists and dictionaries that the function could put them into.
fn restore(call: Arguments<'_, '_>, sources: &[Source]) -> Result<()> {
    let given = call.args.iter().chain(call.named.into_iter().flat_map(PyDictMethods::values));
    for object in given.chain(sources.iter().filter_map(|source| source.value(call.py))) {
        without(&object)?;
    }
    Ok(())
}

fn is_captured(context: &Context) -> bool {
    cuproxide_core::memory::capture::current(context).is_some()
}

/// Queues what makes the arrays among results.
fn evaluate(result: &Bound<'_, PyAny>) -> Result<()> {
    if let Ok(parts) = result.cast::<PyTuple>() {
        return parts.iter().try_for_each(|part| evaluate(&part));
    }
    if let Ok(parts) = result.cast::<PyList>() {
        return parts.iter().try_for_each(|part| evaluate(&part));
    }
    match result.cast::<NdArray>() {
        Ok(array) => Ok(fusion::evaluate([&array.get().snapshot()])?),
        Err(_) => Ok(()),
    }
}
