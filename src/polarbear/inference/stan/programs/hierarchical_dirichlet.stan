// Plackett-Luce ratings at each time, theta(t) ~ Dirichlet(kappa / n, ..., kappa / n), with kappa ~ Exponential(rate).
functions {
#include plackett_luce.stan
#include dirichlet_contrasts.stan
}
data {
  int<lower=1> times;
  int<lower=2> algorithms;
  int<lower=1> sets;                          // distinct choice sets per time, padded to the largest number
  matrix[times, algorithms] wins;             // how often each algorithm was chosen
  matrix[times * sets, algorithms] members;   // 1 for the members of each set, set by set, time by time
  matrix[times, sets] counts;                 // how often each set occurred
  real<lower=0> rate;
}
transformed data {
  matrix[algorithms, algorithms - 1] Q = helmert(algorithms);
}
parameters {
  real<lower=0> kappa;
  matrix[times, algorithms - 1] coefficients; // Helmert coordinates of log theta
}
transformed parameters {
  matrix[times, algorithms] utilities = coefficients * Q';
}
model {
  kappa ~ exponential(rate);
  target += dirichlet_contrasts_lpdf(utilities | kappa / algorithms);
  target += rankings_log_likelihood(utilities, wins, members, counts);
}
generated quantities {
  matrix[times, algorithms] ratings;
  for (t in 1:times)
    ratings[t] = softmax(utilities[t]')';
}
