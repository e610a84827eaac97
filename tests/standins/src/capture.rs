//! Captures and graphs.

use std::cell::Cell;
use std::fmt::Write;
use std::sync::Arc;
use std::thread::ThreadId;

use rustc_hash::FxHashMap;

use crate::queue::{State, Work, state};
use crate::status::*;

/// How much a capture forbids: every thread's dangerous calls, its own thread's, none.
const GLOBAL: i32 = 0;
const THREAD_LOCAL: i32 = 1;
const RELAXED: i32 = 2;

thread_local! {
    /// How much this thread lets itself be forbidden.
    static MODE: Cell<i32> = const { Cell::new(GLOBAL) };
}

struct Node {
    id: u64,
    after: Vec<u64>,
    work: Work,
}

struct Capture {
    origin: u64,
    graph: u64,
    mode: i32,
    thread: ThreadId,
    invalid: bool,
}

/// Captures that go on, graphs, and graphs that can be launched.
#[derive(Default)]
pub struct Captures {
    open: FxHashMap<u64, Capture>,
    graphs: FxHashMap<u64, Vec<Node>>,
    executables: FxHashMap<u64, Arc<Vec<Work>>>,
}

impl Captures {
    /// Makes a capture void.
    pub fn invalidate(&mut self, capture: u64) {
        if let Some(capture) = self.open.get_mut(&capture) {
            capture.invalid = true;
        }
    }

    /// Numbers of graphs and of those that can be launched.
    pub fn counts(&self) -> (usize, usize) {
        (self.graphs.len(), self.executables.len())
    }
}

/// Exchanges this thread's mode.
pub fn exchange_mode(mode: i32) -> Outcome<i32> {
    if !(GLOBAL..=RELAXED).contains(&mode) {
        return Err(INVALID_VALUE);
    }
    Ok(MODE.replace(mode))
}

/// An error if a capture forbids dangerous calls of this thread; the capture is void then.
pub fn forbid_danger() -> Outcome {
    if MODE.get() == RELAXED {
        return Ok(());
    }
    let own = std::thread::current().id();
    let mut state = state();
    let forbids = |capture: &&mut Capture| match capture.mode {
        GLOBAL => MODE.get() == GLOBAL || capture.thread == own,
        THREAD_LOCAL => capture.thread == own,
        _ => false,
    };
    match state.captures.open.values_mut().find(forbids) {
        Some(capture) => {
            capture.invalid = true;
            Err(CAPTURE_UNSUPPORTED)
        }
        None => Ok(()),
    }
}

/// An error if work in the legacy stream would have to wait for a stream that captures.
pub fn forbid_legacy(state: &mut State) -> Outcome {
    let blocked = state.streams.values().filter(|stream| !stream.non_blocking).find_map(|stream| stream.capture);
    match blocked {
        Some(capture) => {
            state.captures.invalidate(capture);
            Err(CAPTURE_IMPLICIT)
        }
        None => Ok(()),
    }
}

/// An error if a stream captures, which nobody can wait for.
pub fn forbid_waiting(state: &mut State, stream: u64) -> Outcome {
    if let Some(capture) = state.streams[&stream].capture {
        state.captures.invalidate(capture);
        return Err(CAPTURE_UNSUPPORTED);
    }
    if State::is_legacy(stream) { forbid_legacy(state) } else { Ok(()) }
}

/// An error if any stream captures.
pub fn forbid_all_waiting(state: &mut State) -> Outcome {
    match state.streams.values().find_map(|stream| stream.capture) {
        Some(capture) => {
            state.captures.invalidate(capture);
            Err(CAPTURE_UNSUPPORTED)
        }
        None => Ok(()),
    }
}

/// Starts a capture.
pub fn begin(handle: u64, mode: i32) -> Outcome {
    let mut state = state();
    let stream = state.resolve(handle)?;
    if State::is_legacy(stream) || !(GLOBAL..=RELAXED).contains(&mode) {
        return Err(if State::is_legacy(stream) { CAPTURE_UNSUPPORTED } else { INVALID_VALUE });
    }
    if state.streams[&stream].capture.is_some() {
        return Err(CAPTURE_UNSUPPORTED);
    }
    let (id, graph) = (state.next(), state.next());
    let thread = std::thread::current().id();
    state.captures.open.insert(id, Capture { origin: stream, graph, mode, thread, invalid: false });
    state.captures.graphs.insert(graph, vec![]);
    let stream = state.streams.get_mut(&stream).ok_or(INVALID_HANDLE)?;
    (stream.capture, stream.front) = (Some(id), vec![]);
    Ok(())
}

/// Adds work of a stream that captures.
pub fn add(state: &mut State, stream: u64, work: Work) -> Outcome {
    let id = state.next();
    let stream = state.streams.get_mut(&stream).ok_or(INVALID_HANDLE)?;
    let capture = stream.capture.and_then(|capture| state.captures.open.get(&capture)).ok_or(INVALID_HANDLE)?;
    if capture.invalid {
        return Err(CAPTURE_INVALIDATED);
    }
    let nodes = state.captures.graphs.get_mut(&capture.graph).ok_or(INVALID_HANDLE)?;
    nodes.push(Node { id, after: std::mem::replace(&mut stream.front, vec![id]), work });
    Ok(())
}

/// Makes a stream wait for nodes of a capture, and take part in it.
pub fn join(state: &mut State, stream: u64, capture: u64, nodes: Vec<u64>) -> Outcome {
    if !state.captures.open.contains_key(&capture) {
        return Err(CAPTURED_EVENT);
    }
    if State::is_legacy(stream) {
        state.captures.invalidate(capture);
        return Err(CAPTURE_IMPLICIT);
    }
    let stream = state.streams.get_mut(&stream).ok_or(INVALID_HANDLE)?;
    if stream.capture.replace(capture).is_none() {
        stream.front.clear();
    }
    for node in nodes {
        if !stream.front.contains(&node) {
            stream.front.push(node);
        }
    }
    Ok(())
}

/// What is known of a stream's capture.
pub struct Info {
    /// 0 if it takes part in none, 1 if it does, 2 if that is void.
    pub status: i32,
    pub id: u64,
    pub graph: u64,
    /// Address and length of the list of nodes that the next one waits for.
    pub front: (*const u64, usize),
}

/// What a stream captures.
pub fn info(handle: u64) -> Outcome<Info> {
    let mut state = state();
    let stream = state.resolve(handle)?;
    if State::is_legacy(stream) {
        forbid_legacy(&mut state)?;
    }
    let stream = &state.streams[&stream];
    let Some(id) = stream.capture else {
        return Ok(Info { status: 0, id: 0, graph: 0, front: (std::ptr::null(), 0) });
    };
    let capture = state.captures.open.get(&id).ok_or(INVALID_HANDLE)?;
    let status = if capture.invalid { 2 } else { 1 };
    Ok(Info { status, id, graph: capture.graph, front: (stream.front.as_ptr(), stream.front.len()) })
}

/// Replaces the nodes that a stream's next one waits for, or adds to them.
pub fn update_front(handle: u64, nodes: &[u64], replace: bool) -> Outcome {
    let mut state = state();
    let stream = state.resolve(handle)?;
    let stream = state.streams.get_mut(&stream).ok_or(INVALID_HANDLE)?;
    if stream.capture.is_none() {
        return Err(INVALID_VALUE);
    }
    if replace {
        stream.front.clear();
    }
    stream.front.extend(nodes);
    Ok(())
}

/// Ends a capture.
pub fn end(handle: u64) -> Outcome<u64> {
    let mut state = state();
    let id = state.resolve(handle)?;
    let number = state.streams[&id].capture.ok_or(INVALID_VALUE)?;
    let capture = state.captures.open.get(&number).ok_or(INVALID_HANDLE)?;
    if capture.origin != id {
        return Err(CAPTURE_UNMATCHED);
    }
    if capture.mode != RELAXED && capture.thread != std::thread::current().id() {
        return Err(CAPTURE_WRONG_THREAD);
    }
    let Some(Capture { graph, invalid, .. }) = state.captures.open.remove(&number) else { return Err(INVALID_HANDLE) };
    let ends = state.streams[&id].front.clone();
    for stream in state.streams.values_mut().filter(|stream| stream.capture == Some(number)) {
        stream.capture = None;
        stream.front.clear();
    }
    // Whatever is not waited for by the end of the first stream was forked off and never joined.
    let joined = |nodes: &[Node]| {
        let mut reached = ends.clone();
        let mut at = 0;
        while let Some(&node) = reached.get(at) {
            let before = nodes.iter().filter(|known| known.id == node).flat_map(|node| &node.after);
            let new: Vec<u64> = before.filter(|before| !reached.contains(before)).copied().collect();
            reached.extend(new);
            at += 1;
        }
        nodes.iter().all(|node| reached.contains(&node.id))
    };
    let status = if invalid {
        Some(CAPTURE_INVALIDATED)
    } else {
        state.captures.graphs.get(&graph).filter(|nodes| !joined(nodes)).map(|_| CAPTURE_UNJOINED)
    };
    match status {
        None => Ok(graph),
        Some(status) => {
            state.captures.graphs.remove(&graph);
            Err(status)
        }
    }
}

/// Makes another graph a node of one.
pub fn add_graph(graph: u64, after: &[u64], child: u64) -> Outcome<u64> {
    let mut state = state();
    let works = state.captures.graphs.get(&child).ok_or(INVALID_VALUE)?;
    let work = Work::Graph(Arc::new(works.iter().map(|node| node.work.clone()).collect()));
    let id = state.next();
    let nodes = state.captures.graphs.get_mut(&graph).ok_or(INVALID_VALUE)?;
    if after.iter().any(|before| nodes.iter().all(|node| node.id != *before)) {
        return Err(INVALID_VALUE);
    }
    nodes.push(Node { id, after: after.to_vec(), work });
    Ok(id)
}

/// Makes a graph ready for launching.
pub fn instantiate(graph: u64) -> Outcome<u64> {
    let mut state = state();
    let nodes = state.captures.graphs.get(&graph).ok_or(INVALID_VALUE)?;
    // Nodes come after those that they wait for.
    let works = Arc::new(nodes.iter().map(|node| node.work.clone()).collect());
    let id = state.next();
    state.captures.executables.insert(id, works);
    Ok(id)
}

/// What a launch of a graph runs.
pub fn executable(id: u64) -> Outcome<Arc<Vec<Work>>> {
    state().captures.executables.get(&id).cloned().ok_or(INVALID_VALUE)
}

/// Destroys a graph.
pub fn destroy(graph: u64) -> Outcome {
    let removed = state().captures.graphs.remove(&graph);
    removed.map(drop).ok_or(INVALID_VALUE)
}

/// Destroys what can be launched of it.
pub fn destroy_executable(id: u64) -> Outcome {
    let removed = state().captures.executables.remove(&id);
    removed.map(drop).ok_or(INVALID_VALUE)
}

/// A graph as text for Graphviz.
pub fn dot(graph: u64) -> Outcome<String> {
    let state = state();
    let nodes = state.captures.graphs.get(&graph).ok_or(INVALID_VALUE)?;
    let mut text = "digraph dot {\nsubgraph cluster_1 {\n".to_owned();
    for node in nodes {
        let label = match &node.work {
            Work::Launch(launch) => format!("KERNEL {}", launch.name()),
            Work::Copy { bytes, .. } => format!("MEMCPY {bytes}"),
            Work::Box(_) => "MEMCPY3D".to_owned(),
            Work::Rows { .. } => "MEMCPY2D".to_owned(),
            Work::Fill { .. } => "MEMSET".to_owned(),
            Work::Call { .. } => "HOST".to_owned(),
            Work::Library(_) => "KERNEL of a library".to_owned(),
            Work::Graph(_) => "GRAPH".to_owned(),
            _ => "EMPTY".to_owned(),
        };
        let _ = writeln!(text, "\"node_{:x}\" [label=\"{label}\"];", node.id);
        for before in &node.after {
            let _ = writeln!(text, "\"node_{before:x}\" -> \"node_{:x}\";", node.id);
        }
    }
    text.push_str("}\n}\n");
    Ok(text)
}
