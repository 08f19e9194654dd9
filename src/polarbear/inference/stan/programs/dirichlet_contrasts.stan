  // Log-density, up to a constant, of the Helmert coordinates of log theta, theta ~ Dirichlet(a, ..., a), summed over the
  // rows (times) of utilities. These sum to zero, so that sum_i log theta_i = -n log sum_i exp(mu_i); the Jacobian of the
  // softmax adds one to each exponent, which leaves prod_i theta_i^a.
  real dirichlet_contrasts_lpdf(matrix utilities, real concentration) {
    int n = cols(utilities);
    real total = rows(utilities) * (lgamma(n * concentration) - n * lgamma(concentration));
    for (t in 1:rows(utilities))
      total -= n * concentration * log_sum_exp(utilities[t]);
    return total;
  }
