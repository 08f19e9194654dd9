// Plackett-Luce utilities over time, mu(t) = Q eta(t), with n - 1 exact Gaussian processes eta ~ GP(0, amplitude^2 C).
functions {
#include plackett_luce.stan

  // Correlation at distance |t - t'| / lengthscale: 1 is Matern 3/2, 2 is Matern 5/2, 3 is squared-exponential.
  real correlation(real distance, int kernel) {
    real scaled;
    if (kernel == 3)
      return exp(-0.5 * square(distance));
    scaled = sqrt(2.0 * kernel + 1) * distance;
    if (kernel == 1)
      return (1 + scaled) * exp(-scaled);
    return (1 + scaled + square(scaled) / 3) * exp(-scaled);
  }

  matrix correlation_factor(vector at, real lengthscale, int kernel, real jitter) {
    int n = rows(at);
    matrix[n, n] C;
    for (i in 1:n) {
      C[i, i] = 1 + jitter;
      for (j in (i + 1):n) {
        C[i, j] = correlation((at[j] - at[i]) / lengthscale, kernel);
        C[j, i] = C[i, j];
      }
    }
    return cholesky_decompose(C);
  }

  // Prior of a positive hyperparameter: 1 is log-normal (location, scale), 2 is inverse-gamma (shape, scale), 3 is
  // exponential (rate, unused).
  real hyperprior_lpdf(real value, int family, vector settings) {
    if (family == 1)
      return lognormal_lpdf(value | settings[1], settings[2]);
    if (family == 2)
      return inv_gamma_lpdf(value | settings[1], settings[2]);
    return exponential_lpdf(value | settings[1]);
  }
}
data {
  int<lower=2> times;
  int<lower=2> algorithms;
  int<lower=1> sets;                          // distinct choice sets per time, padded to the largest number
  matrix[times, algorithms] wins;             // how often each algorithm was chosen
  matrix[times * sets, algorithms] members;   // 1 for the members of each set, set by set, time by time
  matrix[times, sets] counts;                 // how often each set occurred
  vector<lower=0, upper=1>[times] scaled_times;
  int<lower=1, upper=3> kernel;
  real<lower=0> jitter;                       // added to the diagonal of the correlation matrix
  int<lower=1, upper=3> amplitude_family;
  vector[2] amplitude_settings;
  int<lower=1, upper=3> lengthscale_family;
  vector[2] lengthscale_settings;
}
transformed data {
  matrix[algorithms, algorithms - 1] Q = helmert(algorithms);
}
parameters {
  real<lower=0> amplitude;
  real<lower=0> lengthscale;
  matrix[times, algorithms - 1] coefficients; // white noise z of eta = amplitude L z
}
transformed parameters {
  matrix[times, algorithms] utilities
    = amplitude * correlation_factor(scaled_times, lengthscale, kernel, jitter) * coefficients * Q';
}
model {
  target += hyperprior_lpdf(amplitude | amplitude_family, amplitude_settings);
  target += hyperprior_lpdf(lengthscale | lengthscale_family, lengthscale_settings);
  to_vector(coefficients) ~ std_normal();
  target += rankings_log_likelihood(utilities, wins, members, counts);
}
generated quantities {
  matrix[times, algorithms] ratings;
  for (t in 1:times)
    ratings[t] = softmax(utilities[t]')';
}
