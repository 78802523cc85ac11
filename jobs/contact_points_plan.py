"""Studies of contact-point methods, and the numbers of Erleben (2018) that they are compared with."""

METHODS = ["closest-points", "intersection", "vertex-only", "consistent-vertex", "volume-sat", "surface-sat", "growth", "opposing"]
POTENTIALS = ["ipc", "convergent-ipc", "oipc", "gcp"]
CASES = ["spike_in_crack", "spike_in_hole", "wedge_in_crack", "sliding_spike", "sliding_wedge", "spikes", "spike_and_wedge", "wedges",
         "cliff_edges", "internal_edges"]

# Table 8, columns in the order of CASES. Excess of the vertex methods in the hole: no contact was found.
COVERAGE = {
    "closest-points": [100.0, 100.0, 100.0, 100.0, 100.0, 0.0, 0.0, 0.0, 100.0, 100.0],
    "intersection": [0.0, 0.0, 0.0, 0.0, 0.0, 100.0, 100.0, 0.0, 100.0, 100.0],
    "vertex-only": [50.0, 0.0, 50.0, 100.0, 100.0, 0.0, 0.0, 0.0, 100.0, 100.0],
    "consistent-vertex": [50.0, 0.0, 50.0, 100.0, 100.0, 0.0, 100.0, 100.0, 100.0, 100.0],
    "volume-sat": [50.0, 25.0, 50.0, 100.0, 100.0, 0.0, 0.0, 0.0, 100.0, 100.0],
    "surface-sat": [50.0, 25.0, 50.0, 100.0, 100.0, 0.0, 0.0, 0.0, 100.0, 100.0],
    "growth": [50.0, 25.0, 50.0, 100.0, 100.0, 0.0, 0.0, 0.0, 100.0, 100.0],
    "opposing": [0.0, 0.0, 0.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0]}
QUALITY = {
    "closest-points": [100.0, 100.0, 100.0, 100.0, 100.0, 0.0, 0.0, 0.0, 62.5, 58.3],
    "intersection": [0.0, 0.0, 0.0, 0.0, 0.0, 10.0, 33.3, 0.0, 55.6, 50.0],
    "vertex-only": [100.0, 0.0, 100.0, 100.0, 100.0, 0.0, 0.0, 0.0, 60.0, 83.3],
    "consistent-vertex": [100.0, 0.0, 100.0, 100.0, 100.0, 0.0, 50.0, 25.0, 50.0, 100.0],
    "volume-sat": [100.0, 100.0, 100.0, 100.0, 100.0, 0.0, 0.0, 0.0, 61.5, 65.2],
    "surface-sat": [100.0, 100.0, 100.0, 100.0, 100.0, 0.0, 0.0, 0.0, 70.0, 83.3],
    "growth": [100.0, 100.0, 100.0, 100.0, 100.0, 0.0, 0.0, 0.0, 37.5, 63.0],
    "opposing": [0.0, 0.0, 0.0, 100.0, 100.0, 22.2, 55.6, 47.4, 73.5, 93.3]}
EXCESS = {
    "closest-points": [1.0, 1.0, 1.0, 1.0, 1.0, 10.0, 3.0, 3.5, 2.0, 3.0],
    "intersection": [0.5, 1.2, 1.5, 3.0, 0.5, 20.0, 6.0, 3.5, 2.2, 3.0],
    "vertex-only": [0.5, 0.0, 0.5, 1.0, 0.5, 2.0, 1.0, 1.0, 1.2, 1.5],
    "consistent-vertex": [0.5, 0.0, 0.5, 1.0, 0.5, 4.0, 2.0, 2.0, 1.5, 1.0],
    "volume-sat": [2.0, 1.8, 2.2, 5.0, 1.0, 14.0, 9.0, 8.5, 3.2, 5.8],
    "surface-sat": [2.0, 1.8, 2.2, 5.0, 1.0, 14.0, 9.0, 9.0, 2.5, 4.5],
    "growth": [2.0, 2.2, 1.5, 5.0, 1.0, 15.0, 11.0, 10.5, 6.0, 6.8],
    "opposing": [3.0, 2.2, 1.8, 5.0, 1.0, 18.0, 9.0, 9.5, 8.5, 3.8]}
TABLE8 = {"coverage_percent": COVERAGE, "quality_percent": QUALITY, "excess": EXCESS}

# Table 7: Pillar, step 3: quality [%], contacts, excess. Table 6: Pillar, 500 steps: mean, least and largest number, standard deviation.
TABLE7 = {"closest-points": (97.9, 188, 4.7), "intersection": (15.4, 722, 18.1), "vertex-only": (60.8, 51, 1.3),
          "consistent-vertex": (35.3, 34, 0.8), "volume-sat": (20.9, 540, 13.5), "surface-sat": (52.9, 607, 15.2),
          "growth": (24.6, 622, 15.6), "opposing": (91.6, 214, 5.3)}
TABLE6 = {"closest-points": (267.11, 102, 375, 59.40), "intersection": (867.97, 504, 1332, 163.07), "vertex-only": (65.94, 6, 119, 19.62),
          "consistent-vertex": (93.26, 32, 113, 10.44), "volume-sat": (1248.52, 339, 1399, 69.37),
          "surface-sat": (1186.44, 333, 1362, 89.06), "growth": (1257.45, 400, 1539, 162.75), "opposing": (403.12, 117, 459, 24.83)}
