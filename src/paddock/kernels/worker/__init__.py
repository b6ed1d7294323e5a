"""What runs in a kernel's child processes: standard library, msgspec and one engine, nothing else.

Three processes make a kernel. The *guard* is the one that the server started: it never runs the
user's code, keeps the limits, collects what is printed, and ends all the others when the server is
gone. The *active* process evaluates. The *checkpoint* is what the active process was forked from,
and has the state from before the evaluation: when that goes well, the active process becomes the
next checkpoint; when it does not, the checkpoint forks another active process.

The guard is not one of the two that hold the state, because their parents come and go with each
evaluation: somebody who stays must reap them, and end what they left running.
"""
