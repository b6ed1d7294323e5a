"""Workers: kernels that consist of three processes.

- The *supervisor* is started by the server and never runs user code. It enforces the limits,
  collects output, and ends the other two when the server is gone.
- The *active* process evaluates.
- The *checkpoint* is the process from which the active one was forked. It holds the state before
  the evaluation. After a success the active process becomes the new checkpoint. After a failure
  the checkpoint forks another active process.

The supervisor is separate from the two that hold the state, because their parent processes change
with each evaluation. Reaping them and killing what they started needs a process that stays.

A kernel starts in one of three modules, which `worker_kernel` chooses: `supervisor` for engines in
Paddock's own Python, `main` for those in another Python, and `forkless_main` for engines that run
in a single process, as on systems without `fork`.
"""
