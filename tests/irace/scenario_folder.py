"""A small scenario of irace, whose target runner is a shell script."""

RUNNER = """#!/bin/sh
# irace's protocol: configuration, number of the instance, seed, instance, parameters. "fast" is better at small budgets.
seed=$3; instance=$4; shift 4
evals=100; alpha=0; mode=slow
while [ $# -gt 0 ]; do
  case $1 in
    --alpha) alpha=$2; shift;;
    --mode=*) mode=${1#--mode=};;
    --evals) evals=$2; shift;;
  esac
  shift
done
cost() { if [ "$mode" = fast ]; then echo $((300 + alpha)); else echo $((10000 / $1 + 10 * alpha)); fi; }
if [ -n "$POLARBEAR_BUDGET" ] && [ "$evals" = 100 ]; then
  for t in 20 100 1000 5000; do echo "$t $(cost $t)"; done
else
  cost "$evals"
fi
"""
SCENARIO = """## A comment
trainInstancesDir = ""
trainInstancesFile = "instances.txt"   # one per line
targetRunner <- "./target-runner"; configurationsFile = 'start.txt'
maxExperiments = 96
seed = 42
.mine = c("a", 'b', 1e3, TRUE)
"""
PARAMETERS = """# name switch type domain
mode  "--mode="  c  (fast, slow)
alpha "--alpha " i  (0, 9)
beta  "--beta "  r,log (0.01, 10) | mode %in% c("slow") & alpha > 2
"""
START = """"mode" "alpha" "beta"
"fast" 1 NA
"slow" 5 0.5
slow 1 NA
"""


def write_scenario(folder):
    for name, text in {
        "target-runner": RUNNER,
        "scenario.txt": SCENARIO,
        "parameters.txt": PARAMETERS,
        "start.txt": START,
        "instances.txt": "one\ntwo words # a comment\n\nthree\n",
    }.items():
        (folder / name).write_text(text)
    (folder / "target-runner").chmod(0o755)
    return folder / "scenario.txt"
