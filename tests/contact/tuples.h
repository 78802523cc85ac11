/* Candidates of all ranks as sorted tuples of vertex ids, to be compared. */
#pragma once
#include <abut/contact.h>

/* Kind (0 FV, 1 EE, 2 EV, 3 plane-vertex, 4 vertex and edge without faces) and vertex ids, -1 where unused. */
typedef PetscInt Tuple[5];

/* The candidates of all ranks, sorted; to be freed. */
Tuple *GatherTuples(const AbutCandidates *candidates, MPI_Comm comm, PetscInt *count);
/* Tuples of all ranks, sorted; to be freed. */
Tuple *ShareTuples(PetscInt n, const Tuple mine[], MPI_Comm comm, PetscInt *count);
int    CompareTuples(const void *a, const void *b);
