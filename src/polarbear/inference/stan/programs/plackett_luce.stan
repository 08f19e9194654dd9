  // The Plackett-Luce likelihood of counted choices, and the basis of utilities that sum to zero.

  // Orthonormal n × (n - 1) basis of the vectors that sum to zero, with the signs of the paper's equation (38).
  matrix helmert(int n) {
    matrix[n, n - 1] Q = rep_matrix(0, n, n - 1);
    for (k in 1:(n - 1)) {
      for (i in 1:k)
        Q[i, k] = sqrt(1.0 / (k * (k + 1)));
      Q[k + 1, k] = -sqrt(k / (k + 1.0));
    }
    return Q;
  }

  // sum_i W_i mu_i - sum_S C_S log sum_{j in S} exp(mu_j) at one time. Row s of members marks the algorithms of set S.
  // Ties and missing runs are part of the counts. Sets of count zero are padding.
  real choices_log_likelihood(vector utilities, row_vector wins, matrix members, row_vector counts) {
    vector[rows(utilities)] centred = utilities - max(utilities);
    vector[rows(utilities)] bounded;
    for (i in 1:rows(utilities))
      bounded[i] = fmax(centred[i], -600);  // exp underflows below; the odds against such a choice are exp(600)
    return wins * centred - counts * log(members * exp(bounded));
  }

  // The log-likelihood of all times. Row t of utilities, wins and counts belongs to time t, and so do `sets` rows of members.
  real rankings_log_likelihood(matrix utilities, matrix wins, matrix members, matrix counts) {
    int sets = cols(counts);
    real total = 0;
    for (t in 1:rows(utilities))
      total += choices_log_likelihood(utilities[t]', wins[t],
                                      block(members, (t - 1) * sets + 1, 1, sets, cols(utilities)), counts[t]);
    return total;
  }
