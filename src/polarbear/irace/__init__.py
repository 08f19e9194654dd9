"""The bridge to irace: its scenario becomes a race or a design, and survivors become its initial configurations.

In: `scenario.txt` with parameters, instances, configurations and a target runner. Out: a `race.toml`, or a `ParameterSpace`
for `design`. Scenario files are R code; only simple assignments are read, and nothing is evaluated.

- `r_values`: reads constants and `c(...)` as R writes them.
- `scenario`: `read_irace_scenario` reads `scenario.txt` and the list of instances.
- `parameters`: `read_parameters` reads and checks `parameters.txt`.
- `conditions`: reads and checks the conditions of parameters.
- `config_space`: converts parameters and their conditions to a ConfigSpace.
- `forbidden`: reads conditions that no configuration may fulfil.
- `configurations`: reads and writes tables of configurations.
- `target_runner`: runs a target runner by irace's protocol.
- `race_toml`: writes the scenario as a `race.toml`, and reads the survivors' configurations back from it.
"""
