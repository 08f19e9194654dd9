"""The race (the paper's section 4): decide what to run next, which algorithms to drop and which pairs are decided.

In: settings and finished runs.
Out: the next jobs, and a state with its posterior and the record of every round. Nothing here runs or stores anything.

Modules: `loop` (Algorithm 1, from state to state), `state`, `settings`, `sampling` (the next jobs), `jobs` (jobs and
runs), `observations` (runs and the choices that follow from them), `inference` (the posterior), `decisions` (the
decisions of one round), `batching` (instances per round), `until` (decided pairs), `stopping` (limits), `rounds`
(the record of decisions), `failing` (algorithms that fail in every run), `forecast` (instances still needed),
`serialisation` (settings and rounds as JSON), `result` (the outcome for users).
"""
