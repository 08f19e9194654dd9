# Evaluates Stan programs with rstan. Usage: Rscript stan.R JOB RESULT BOOST, all of them paths.
# JOB is JSON: {"program": path, "cases": [{"data": path, "points": [[...], ...]}, ...], "draws": number}. The result has the
# log-densities at the unconstrained points of each case, and for the first case posterior draws of the utilities with the
# rank-normalised effective number of draws and R-hat, each the worst of all utilities.
suppressMessages(library(rstan))
paths <- commandArgs(trailingOnly = TRUE)
job <- jsonlite::fromJSON(paths[1], simplifyVector = FALSE)
model <- stan_model(job$program, boost_lib = paths[3])

densities <- lapply(job$cases, function(case) {
  fit <- suppressMessages(sampling(model, data = jsonlite::fromJSON(case$data), chains = 0))
  sapply(case$points, function(point) log_prob(fit, unlist(point), adjust_transform = TRUE))
})
fit <- sampling(model, data = jsonlite::fromJSON(job$cases[[1]]$data), chains = 4, iter = 1000 + job$draws / 4,
                warmup = 1000, seed = 1, refresh = 0, control = list(adapt_delta = 0.95))
summaries <- summary(fit, pars = "utilities")$summary
result <- list(densities = densities, draws = extract(fit, "utilities")$utilities,
               effective = min(summaries[, "n_eff"]), rhat = max(summaries[, "Rhat"]))
jsonlite::write_json(result, paths[2], digits = NA, auto_unbox = TRUE)
