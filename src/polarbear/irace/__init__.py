"""The bridge to irace: its scenario becomes a race, and the survivors of a race become its initial configurations.

In: `scenario.txt` with parameters, instances, configurations and a target runner. Out: a `race.toml`. Scenario files are R
code; only simple assignments are read, and nothing is evaluated.

- `r_values`: reads constants and `c(...)` as R writes them.
- `scenario`: `read_scenario` reads `scenario.txt` and the list of instances.
- `parameters`: `read_parameters` reads `parameters.txt`.
- `conditions`: reads and checks the conditions of parameters.
- `configurations`: reads and writes tables of configurations.
- `target_runner`: runs a target runner by irace's protocol.
- `race_toml`: writes the scenario as a `race.toml`, and reads the survivors' configurations back from it.
"""
