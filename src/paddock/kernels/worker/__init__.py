"""Workers: kernels that consist of three processes.

- The *supervisor* is started by the server and never runs user code. It enforces the limits,
  collects output, and ends the other two when the server is gone.
- The *active* process evaluates code.
- The *checkpoint* is the process from which the active one was forked. It holds the state from
  before the evaluation. After a success, the active process becomes the new checkpoint. After a
  failure, the checkpoint forks another active process.

The supervisor is separate from the two that hold the state, because their parent processes change
with each evaluation. Reaping them and killing any processes they started requires a permanent
process.

A kernel starts in one of three modules, chosen by `worker_kernel`: `supervisor` for engines in
Paddock's own Python, `main` for those in another Python, and `forkless_main` for engines that run
in a single process, as on systems without `fork`.
"""
