// A libuv loop as a Swift executor, and the things that live on it: timers, streams, listeners,
// watches for signals and files. The only module that says `uv_`.
//
// It decides who may touch a handle (the loop's thread, checked by every call), how long a handle's
// memory lives (until libuv's close callback, see `LoopHandle`), and what an error of the system
// says (`EventLoopError`: what was being done, libuv's code, what to do). It never waits.
// A write that the socket does not take is queued up to a bound; a name is looked up elsewhere;
// nothing here touches a disk.
//
// The objects of the loop are not `Sendable`. They belong to whoever made them, which is an actor
// isolated to the loop:
//
//     actor Server {
//       let loop: EventLoop
//       nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
//       var listener: TCPListener?
//       …
//     }
//
// Its methods run on the loop's thread, and so do the callbacks of libuv, so that a handler made in
// the actor may use the actor's state at once, without a hop.
//
// The life of one piece of data: bytes arrive on a socket; the loop wakes, reads them into the one
// buffer all streams share, and calls the stream's `onBytes`. What the handler writes in answer
// goes to the socket in a gathered system call, or waits in the stream's `WriteQueue`. When all
// that was ready is done, the actions of `atEndOfTurn` run; then the loop waits again. Other
// threads wake it with `perform` or by calling an actor of the loop.
