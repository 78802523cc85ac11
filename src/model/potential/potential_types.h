/* All types of potentials, one line each: ABUT_POTENTIAL(name, AbutPotentialType). Included once per use of the list, hence no guard. */
ABUT_POTENTIAL("ipc", AbutPotentialTypeIPC)
ABUT_POTENTIAL("convergent-ipc", AbutPotentialTypeConvergentIPC)
ABUT_POTENTIAL("oipc", AbutPotentialTypeOIPC)
ABUT_POTENTIAL("gcp", AbutPotentialTypeGCP)
