/* Checkpoints: the state of a run in input order, read on any number of ranks. */
#include "resultsimpl.h"
#include <string.h>

#define CHECKPOINT_FORMAT 3

/* Bits of the attribute "history": fields in the file that only some integrators have. Absent fields are zero or unknown. */
enum { ACCELERATION = 1, POSITION_BEFORE = 2, VELOCITY_BEFORE = 4 };

typedef struct {
  AbutMesh         mesh;
  AbutFingerprint  print;
  const AbutState *out;
  AbutState       *in;
  const char      *initial_out; /* keys of the initial state, AbutScene.initial; NULL: none */
  char           **initial_in;  /* the same on reading; NULL: not wanted */
  AbutSlices       vertices;
  PetscReal       *slice; /* [vertices.size * dim] */
  PetscMPIInt      rank;
} Checkpoint;

static PetscErrorCode WriteVertexReals(const AbutH5 *h5, Checkpoint *cp, const char name[], const PetscReal owned[])
{
  const PetscInt dim = (PetscInt)cp->print.dim;

  PetscFunctionBegin;
  PetscCall(AbutSFReduceRows(cp->vertices.sf, MPIU_REAL, dim, owned, cp->slice));
  PetscCall(AbutH5WriteRows(h5, h5->file, name, AbutH5TypeReal(), cp->vertices.size, dim, cp->slice));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadVertexReals(const AbutH5 *h5, Checkpoint *cp, const char name[], PetscReal owned[])
{
  const PetscInt dim = (PetscInt)cp->print.dim;

  PetscFunctionBegin;
  PetscCall(AbutH5ReadRows(h5, h5->file, name, AbutH5TypeReal(), cp->vertices.size, dim, cp->slice));
  PetscCall(AbutSFBcastRows(cp->vertices.sf, MPIU_REAL, dim, cp->slice, owned));
  PetscFunctionReturn(0);
}

static PetscBool IsZero(PetscInt n, const PetscReal values[])
{
  for (PetscInt i = 0; values && i < n; i++)
    if (values[i] != 0) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Writes accelerations if they are known, and the state of the step before if it is not zero everywhere. */
static PetscErrorCode WriteHistory(const AbutH5 *h5, Checkpoint *cp)
{
  const AbutState     *state   = cp->out;
  const AbutMeshLocal *m       = AbutMeshGetLocal(cp->mesh);
  int                  history = 0;

  PetscFunctionBegin;
  if (state->a_known) history |= ACCELERATION;
  if (!IsZero(m->num_owned * m->dim, state->x_old)) history |= POSITION_BEFORE;
  if (!IsZero(m->num_owned * m->dim, state->v_old)) history |= VELOCITY_BEFORE;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &history, 1, MPI_INT, MPI_BOR, h5->comm));
  PetscCall(AbutH5SetInt(h5, h5->file, "history", history));
  PetscCall(AbutH5SetReal(h5, h5->file, "dt_old", state->dt_old));
  if (history & ACCELERATION) PetscCall(WriteVertexReals(h5, cp, "acceleration", state->a));
  if (history & POSITION_BEFORE) PetscCall(WriteVertexReals(h5, cp, "position_before", state->x_old));
  if (history & VELOCITY_BEFORE) PetscCall(WriteVertexReals(h5, cp, "velocity_before", state->v_old));
  PetscFunctionReturn(0);
}

/* Reads a field of the history, zeros if the file lacks it; skips it if the state has no array for it. */
static PetscErrorCode ReadHistoryOf(const AbutH5 *h5, Checkpoint *cp, PetscBool present, const char name[], PetscReal owned[])
{
  const AbutMeshLocal *m = AbutMeshGetLocal(cp->mesh);

  PetscFunctionBegin;
  if (!owned) PetscFunctionReturn(0);
  if (present)
    PetscCall(ReadVertexReals(h5, cp, name, owned));
  else
    PetscCall(PetscArrayzero(owned, m->num_owned * m->dim));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadHistory(const AbutH5 *h5, Checkpoint *cp)
{
  PetscInt64 history;

  PetscFunctionBegin;
  PetscCall(AbutH5GetInt(h5, h5->file, "history", &history));
  cp->in->a_known = (PetscBool) !!(history & ACCELERATION);
  PetscCall(AbutH5GetReal(h5, h5->file, "dt_old", &cp->in->dt_old));
  PetscCall(ReadHistoryOf(h5, cp, cp->in->a_known, "acceleration", cp->in->a));
  PetscCall(ReadHistoryOf(h5, cp, (PetscBool) !!(history & POSITION_BEFORE), "position_before", cp->in->x_old));
  PetscCall(ReadHistoryOf(h5, cp, (PetscBool) !!(history & VELOCITY_BEFORE), "velocity_before", cp->in->v_old));
  PetscFunctionReturn(0);
}

/* State of motions and planes, equal on all ranks; rank 0 writes it. */
static PetscErrorCode WriteBoundary(const AbutH5 *h5, Checkpoint *cp)
{
  const AbutState *state   = cp->out;
  const PetscInt   motions = cp->rank ? 0 : state->num_motions, planes = cp->rank ? 0 : state->num_planes;

  PetscFunctionBegin;
  PetscCall(AbutH5SetInt(h5, h5->file, "num_motions", state->num_motions));
  PetscCall(AbutH5SetInt(h5, h5->file, "num_planes", state->num_planes));
  if (state->num_motions) PetscCall(AbutH5WriteRows(h5, h5->file, "motion", AbutH5TypeInt(), motions, 1, state->motion));
  if (state->num_planes) PetscCall(AbutH5WriteRows(h5, h5->file, "plane_point", AbutH5TypeReal(), planes, 3, state->plane_point));
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckCount(const AbutH5 *h5, const char attribute[], const char what[], PetscInt wanted)
{
  PetscInt64 found;

  PetscFunctionBegin;
  PetscCall(AbutH5GetInt(h5, h5->file, attribute, &found));
  AbutCheck(found == wanted, ABUT_ERR_INPUT,
            "the checkpoint %s is of a scene with %lld %s, this scene has %lld: the states of %s cannot be matched", h5->path,
            (long long)found, what, (long long)wanted, what);
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadBoundary(const AbutH5 *h5, Checkpoint *cp)
{
  AbutState     *state   = cp->in;
  const PetscInt motions = cp->rank ? 0 : state->num_motions, planes = cp->rank ? 0 : state->num_planes;

  PetscFunctionBegin;
  PetscCall(CheckCount(h5, "num_motions", "motions", state->num_motions));
  PetscCall(CheckCount(h5, "num_planes", "planes", state->num_planes));
  if (state->num_motions) {
    PetscCall(AbutH5ReadRows(h5, h5->file, "motion", AbutH5TypeInt(), motions, 1, state->motion));
    PetscCallMPI(MPI_Bcast(state->motion, (PetscMPIInt)state->num_motions, MPIU_INT, 0, h5->comm));
  }
  if (state->num_planes) {
    PetscCall(AbutH5ReadRows(h5, h5->file, "plane_point", AbutH5TypeReal(), planes, 3, state->plane_point));
    PetscCallMPI(MPI_Bcast(state->plane_point, (PetscMPIInt)(3 * state->num_planes), MPIU_REAL, 0, h5->comm));
  }
  PetscFunctionReturn(0);
}

/* The text is a dataset of bytes: attributes hold at most 64 KB. Rank 0 has the rows. */
static PetscErrorCode WriteInitial(const AbutH5 *h5, const Checkpoint *cp)
{
  const size_t length = cp->initial_out ? strlen(cp->initial_out) : 0;

  PetscFunctionBegin;
  AbutCheck(length < PETSC_MAX_INT, ABUT_ERR_INPUT, "%s: the keys of the initial state have %zu bytes, must have less than %" PetscInt_FMT,
            h5->path, length, PETSC_MAX_INT);
  PetscCall(AbutH5SetInt(h5, h5->file, "initial_bytes", (PetscInt64)length));
  if (length) PetscCall(AbutH5WriteRows(h5, h5->file, "initial", H5T_NATIVE_CHAR, cp->rank ? 0 : (PetscInt)length, 1, cp->initial_out));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadInitial(const AbutH5 *h5, const Checkpoint *cp)
{
  PetscInt64 length;

  PetscFunctionBegin;
  if (!cp->initial_in) PetscFunctionReturn(0);
  PetscCall(AbutH5GetInt(h5, h5->file, "initial_bytes", &length));
  PetscCall(PetscCalloc1(length + 1, cp->initial_in));
  if (length) PetscCall(AbutH5ReadRows(h5, h5->file, "initial", H5T_NATIVE_CHAR, cp->rank ? 0 : (PetscInt)length, 1, *cp->initial_in));
  PetscCallMPI(MPI_Bcast(*cp->initial_in, (PetscMPIInt)length, MPI_CHAR, 0, h5->comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteWork(const AbutH5 *h5, void *ctx)
{
  Checkpoint *cp = (Checkpoint *)ctx;

  PetscFunctionBegin;
  PetscCall(AbutFingerprintSave(h5, CHECKPOINT_FORMAT, &cp->print));
  PetscCall(AbutH5SetInt(h5, h5->file, "step", cp->out->step));
  PetscCall(AbutH5SetReal(h5, h5->file, "time", cp->out->time));
  PetscCall(AbutH5SetReal(h5, h5->file, "dt", cp->out->dt));
  PetscCall(AbutH5SetInt(h5, h5->file, "good_steps", cp->out->good));
  PetscCall(AbutH5SetReal(h5, h5->file, "kappa", cp->out->kappa));
  PetscCall(AbutH5SetReal(h5, h5->file, "c2", cp->out->c2));
  PetscCall(WriteVertexReals(h5, cp, "position", cp->out->x));
  PetscCall(WriteVertexReals(h5, cp, "velocity", cp->out->v));
  PetscCall(WriteHistory(h5, cp));
  PetscCall(WriteBoundary(h5, cp));
  PetscCall(WriteInitial(h5, cp));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadWork(const AbutH5 *h5, void *ctx)
{
  Checkpoint *cp = (Checkpoint *)ctx;
  PetscInt64  step, good;

  PetscFunctionBegin;
  PetscCall(AbutFingerprintCheck(h5, "checkpoint", CHECKPOINT_FORMAT, &cp->print));
  PetscCall(AbutH5GetInt(h5, h5->file, "step", &step));
  AbutCheck(step >= 0 && step <= PETSC_MAX_INT, ABUT_ERR_INPUT, "%s: step is out of range [0, %" PetscInt_FMT "]", h5->path, PETSC_MAX_INT);
  PetscCall(ReadBoundary(h5, cp)); /* first: a refused checkpoint leaves the state unchanged */
  cp->in->step = (PetscInt)step;
  PetscCall(AbutH5GetReal(h5, h5->file, "time", &cp->in->time));
  PetscCall(AbutH5GetReal(h5, h5->file, "dt", &cp->in->dt));
  PetscCall(AbutH5GetInt(h5, h5->file, "good_steps", &good));
  cp->in->good = (PetscInt)good;
  PetscCall(AbutH5GetReal(h5, h5->file, "kappa", &cp->in->kappa));
  PetscCall(AbutH5GetReal(h5, h5->file, "c2", &cp->in->c2));
  PetscCall(ReadVertexReals(h5, cp, "position", cp->in->x));
  PetscCall(ReadVertexReals(h5, cp, "velocity", cp->in->v));
  PetscCall(ReadHistory(h5, cp));
  PetscCall(ReadInitial(h5, cp));
  PetscFunctionReturn(0);
}

static PetscErrorCode Prepare(AbutMesh mesh, Checkpoint *cp)
{
  const AbutMeshLocal *m    = AbutMeshGetLocal(mesh);
  MPI_Comm             comm = AbutMeshGetComm(mesh);

  PetscFunctionBegin;
  PetscCall(PetscMemzero(cp, sizeof(*cp)));
  cp->mesh = mesh;
  PetscCallMPI(MPI_Comm_rank(comm, &cp->rank));
  PetscCall(AbutMeshFingerprint(mesh, &cp->print));
  PetscCall(AbutSlicesCreate(comm, m->num_global, m->num_owned, m->vertex_id, &cp->vertices));
  PetscCall(PetscMalloc1(cp->vertices.size * m->dim, &cp->slice));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCheckpointWrite(AbutMesh mesh, const char path[], const AbutState *state, const char initial[])
{
  Checkpoint     cp;
  MPI_Comm       comm = AbutMeshGetComm(mesh);
  PetscInt64     bytes;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(Prepare(mesh, &cp));
  cp.out         = state;
  cp.initial_out = initial;
  bytes =
    (5 * cp.print.num_vertices * cp.print.dim + 3 * (PetscInt64)state->num_planes + state->num_motions) * (PetscInt64)sizeof(PetscReal);
  if (initial) bytes += (PetscInt64)strlen(initial);
  ierr = AbutH5RunReplace(comm, path, bytes, CHECKPOINT_FORMAT, WriteWork, &cp);
  PetscCall(PetscFree(cp.slice));
  PetscCall(PetscSFDestroy(&cp.vertices.sf));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(ierr);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCheckpointRead(AbutMesh mesh, const char path[], AbutState *state, char **initial)
{
  Checkpoint     cp;
  MPI_Comm       comm = AbutMeshGetComm(mesh);
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (initial) *initial = NULL;
  PetscCall(AbutAgree(comm, AbutIsRoot(comm) ? AbutChecksumVerify(path, CHECKPOINT_FORMAT) : 0));
  PetscCall(Prepare(mesh, &cp));
  cp.in         = state;
  cp.initial_in = initial;
  ierr          = AbutH5Run(comm, path, ABUT_H5_READ, 0, ReadWork, &cp);
  if (ierr && initial) PetscCall(PetscFree(*initial));
  PetscCall(PetscFree(cp.slice));
  PetscCall(PetscSFDestroy(&cp.vertices.sf));
  PetscCall(ierr);
  PetscFunctionReturn(0);
}
