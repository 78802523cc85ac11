/* Checkpoints: the state of a run in input order, written whole or not at all, read on any number of ranks. */
#include "ioimpl.h"
#include <string.h>

#define CHECKPOINT_FORMAT 1

typedef struct {
  AbutMesh         mesh;
  AbutFingerprint  print;
  const AbutState *out;
  AbutState       *in;
  PetscReal       *slice; /* [slice_size * dim] */
  PetscInt         slice_size;
} Checkpoint;

static PetscErrorCode WriteVertexReals(const AbutH5 *h5, Checkpoint *cp, const char name[], const PetscReal owned[])
{
  const PetscInt dim = (PetscInt)cp->print.dim;

  PetscFunctionBegin;
  PetscCall(AbutVertexRowsToSlice(cp->mesh, MPIU_REAL, dim, owned, cp->slice));
  PetscCall(AbutH5WriteRows(h5, h5->file, name, AbutH5TypeReal(), cp->slice_size, dim, cp->slice));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadVertexReals(const AbutH5 *h5, Checkpoint *cp, const char name[], PetscReal owned[])
{
  const PetscInt dim = (PetscInt)cp->print.dim;

  PetscFunctionBegin;
  PetscCall(AbutH5ReadRows(h5, h5->file, name, AbutH5TypeReal(), cp->slice_size, dim, cp->slice));
  PetscCall(AbutSliceToVertexRows(cp->mesh, MPIU_REAL, dim, cp->slice, owned));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteWork(const AbutH5 *h5, void *ctx)
{
  Checkpoint *cp = (Checkpoint *)ctx;

  PetscFunctionBegin;
  PetscCall(AbutH5SetInt(h5, h5->file, "abut_format", CHECKPOINT_FORMAT));
  PetscCall(AbutH5SetString(h5, h5->file, "abut_version", AbutVersion()));
  PetscCall(AbutH5SetString(h5, h5->file, "abut_git", AbutVersionGit()));
  PetscCall(AbutFingerprintSave(h5, &cp->print));
  PetscCall(AbutH5SetInt(h5, h5->file, "step", cp->out->step));
  PetscCall(AbutH5SetReal(h5, h5->file, "time", cp->out->time));
  PetscCall(AbutH5SetReal(h5, h5->file, "kappa", cp->out->kappa));
  PetscCall(WriteVertexReals(h5, cp, "position", cp->out->x));
  PetscCall(WriteVertexReals(h5, cp, "velocity", cp->out->v));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadWork(const AbutH5 *h5, void *ctx)
{
  Checkpoint *cp = (Checkpoint *)ctx;
  PetscInt64  step;

  PetscFunctionBegin;
  PetscCall(AbutFingerprintCheck(h5, "checkpoint", CHECKPOINT_FORMAT, &cp->print));
  PetscCall(AbutH5GetInt(h5, h5->file, "step", &step));
  AbutCheck(step >= 0 && step <= PETSC_MAX_INT, ABUT_ERR_INPUT, "%s: step is out of range [0, %" PetscInt_FMT "]", h5->path, PETSC_MAX_INT);
  cp->in->step = (PetscInt)step;
  PetscCall(AbutH5GetReal(h5, h5->file, "time", &cp->in->time));
  PetscCall(AbutH5GetReal(h5, h5->file, "kappa", &cp->in->kappa));
  PetscCall(ReadVertexReals(h5, cp, "position", cp->in->x));
  PetscCall(ReadVertexReals(h5, cp, "velocity", cp->in->v));
  PetscFunctionReturn(0);
}

static PetscErrorCode Prepare(AbutMesh mesh, Checkpoint *cp)
{
  PetscSF  sf;
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(cp, sizeof(*cp)));
  cp->mesh = mesh;
  PetscCall(AbutMeshFingerprint(mesh, &cp->print));
  PetscCall(AbutMeshGetInputOrder(mesh, &sf, &start, &end));
  cp->slice_size = end - start;
  PetscCall(PetscMalloc1(cp->slice_size * (PetscInt)cp->print.dim, &cp->slice));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCheckpointWrite(AbutMesh mesh, const char path[], const AbutState *state)
{
  Checkpoint     cp;
  MPI_Comm       comm;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(AbutMeshGetComm(mesh, &comm));
  PetscCall(Prepare(mesh, &cp));
  cp.out = state;
  ierr   = AbutH5RunReplace(comm, path, 2 * cp.print.num_vertices * cp.print.dim * (PetscInt64)sizeof(PetscReal), WriteWork, &cp);
  PetscCall(PetscFree(cp.slice));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(ierr);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCheckpointRead(AbutMesh mesh, const char path[], AbutState *state)
{
  Checkpoint     cp;
  MPI_Comm       comm;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutMeshGetComm(mesh, &comm));
  PetscCall(Prepare(mesh, &cp));
  cp.in = state;
  ierr  = AbutH5Run(comm, path, ABUT_H5_READ, 0, ReadWork, &cp);
  PetscCall(PetscFree(cp.slice));
  PetscCall(ierr);
  PetscFunctionReturn(0);
}
