/* Checkpoints: the state of a run in input order, read on any number of ranks. */
#include "resultsimpl.h"
#include <string.h>

#define CHECKPOINT_FORMAT 3

/* Bits of the attribute "history": fields in the file that only some runs have. Absent fields are zero or unknown. */
enum {
  ACCELERATION    = 1,
  POSITION_BEFORE = 2,
  VELOCITY_BEFORE = 4,
  WITH_CONTACT    = 8, /* the acceleration has contact */
  SLIP            = 16,
  PLANE_TURN      = 32,
  DRIVEN          = 64
};

typedef struct {
  AbutMesh        mesh;
  AbutFingerprint print;
  PetscBool       writing; /* else reading: each function below transfers its values in either direction */
  AbutState      *state;
  char          **initial; /* keys of the initial state, AbutScene.initial; NULL: not wanted */
  AbutSlices      vertices, cells;
  PetscReal      *slice;        /* [vertices.size * dim] */
  PetscInt        strain_width; /* AbutElasticHistoryWidth(); 0: the file has none */
  PetscMPIInt     rank;
} Checkpoint;

static PetscErrorCode Integer(const AbutH5 *h5, const Checkpoint *cp, const char name[], PetscInt64 *value)
{
  return cp->writing ? AbutH5SetInt(h5, h5->file, name, *value) : AbutH5GetInt(h5, h5->file, name, value);
}

static PetscErrorCode Real(const AbutH5 *h5, const Checkpoint *cp, const char name[], PetscReal *value)
{
  return cp->writing ? AbutH5SetReal(h5, h5->file, name, *value) : AbutH5GetReal(h5, h5->file, name, value);
}

/* Values of vertices [num_owned * width], width <= dim. */
static PetscErrorCode Vertices(const AbutH5 *h5, Checkpoint *cp, const char name[], PetscInt width, PetscReal owned[])
{
  PetscFunctionBegin;
  if (cp->writing) {
    PetscCall(AbutSFReduceRows(cp->vertices.sf, MPIU_REAL, width, owned, cp->slice));
    PetscCall(AbutH5WriteRows(h5, h5->file, name, AbutH5TypeReal(), cp->vertices.size, width, cp->slice));
  } else {
    PetscCall(AbutH5ReadRows(h5, h5->file, name, AbutH5TypeReal(), cp->vertices.size, width, cp->slice));
    PetscCall(AbutSFBcastRows(cp->vertices.sf, MPIU_REAL, width, cp->slice, owned));
  }
  PetscFunctionReturn(0);
}

/* Values [count * width] that are equal on all ranks: rank 0 has the rows. */
static PetscErrorCode Common(const AbutH5 *h5, const Checkpoint *cp, const char name[], hid_t type, MPI_Datatype unit, PetscInt count,
                             PetscInt width, void *values)
{
  const PetscInt rows = cp->rank ? 0 : count;

  PetscFunctionBegin;
  if (!count) PetscFunctionReturn(0);
  if (cp->writing) PetscFunctionReturn(AbutH5WriteRows(h5, h5->file, name, type, rows, width, values));
  PetscCall(AbutH5ReadRows(h5, h5->file, name, type, rows, width, values));
  PetscCallMPI(MPI_Bcast(values, (PetscMPIInt)(count * width), unit, 0, h5->comm));
  PetscFunctionReturn(0);
}

static PetscBool IsZero(PetscInt n, const PetscReal values[])
{
  for (PetscInt i = 0; values && i < n; i++)
    if (values[i] != 0) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* A field of the history: read as zeros if the file lacks it, skipped if the state has no array for it on any rank; ranks may be empty. */
static PetscErrorCode HistoryOf(const AbutH5 *h5, Checkpoint *cp, PetscInt64 present, const char name[], PetscInt width, PetscReal owned[])
{
  PetscMPIInt any = owned != NULL;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, h5->comm));
  if (!any) PetscFunctionReturn(0);
  if (present) PetscFunctionReturn(Vertices(h5, cp, name, width, owned));
  if (!cp->writing) PetscCall(PetscArrayzero(owned, AbutMeshGetLocal(cp->mesh)->num_owned * width));
  PetscFunctionReturn(0);
}

/* Accelerations if they are known; the state of the step before, slips and turns of half spaces if they are not zero everywhere. */
static PetscErrorCode History(const AbutH5 *h5, Checkpoint *cp)
{
  AbutState     *state = cp->state;
  const PetscInt dim = (PetscInt)cp->print.dim, owned = AbutMeshGetLocal(cp->mesh)->num_owned, n = owned * dim;
  PetscInt64     history = 0;

  PetscFunctionBegin;
  if (cp->writing) {
    if (state->a_of == ABUT_INTEGRATOR_NEWMARK) history |= ACCELERATION | WITH_CONTACT;
    if (state->a_of == ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK) history |= ACCELERATION;
    if (!IsZero(n, state->x_old)) history |= POSITION_BEFORE;
    if (!IsZero(n, state->v_old)) history |= VELOCITY_BEFORE;
    if (!IsZero(owned, state->slip)) history |= SLIP;
    if (!IsZero(3 * state->num_planes, state->plane_turn)) history |= PLANE_TURN;
    if (!IsZero(sizeof(AbutDriven) / sizeof(PetscReal), (const PetscReal *)&state->driven)) history |= DRIVEN;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &history, 1, MPIU_INT64, MPI_BOR, h5->comm));
  }
  PetscCall(Integer(h5, cp, "history", &history));
  state->a_of = ABUT_INTEGRATOR_EULER;
  if (history & ACCELERATION) state->a_of = history & WITH_CONTACT ? ABUT_INTEGRATOR_NEWMARK : ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK;
  PetscCall(Real(h5, cp, "dt_old", &state->dt_old));
  PetscCall(HistoryOf(h5, cp, history & ACCELERATION, "acceleration", dim, state->a));
  PetscCall(HistoryOf(h5, cp, history & POSITION_BEFORE, "position_before", dim, state->x_old));
  PetscCall(HistoryOf(h5, cp, history & VELOCITY_BEFORE, "velocity_before", dim, state->v_old));
  PetscCall(HistoryOf(h5, cp, history & SLIP, "slip", 1, state->slip));
  if (history & DRIVEN)
    PetscCall(Common(h5, cp, "driven", AbutH5TypeReal(), MPIU_REAL, 1, sizeof(AbutDriven) / sizeof(PetscReal), &state->driven));
  else
    state->driven = (AbutDriven){0};
  if (history & PLANE_TURN)
    PetscCall(Common(h5, cp, "plane_turn", AbutH5TypeReal(), MPIU_REAL, state->num_planes, 3, state->plane_turn));
  else if (!cp->writing && state->plane_turn)
    PetscCall(PetscArrayzero(state->plane_turn, 3 * state->num_planes));
  PetscFunctionReturn(0);
}

/*
  Finds whether the file has plastic and viscous strains, which start at 0 otherwise. A scene without them cannot continue a state with
  them: its bodies would spring back.
*/
static PetscErrorCode StrainWidth(const AbutH5 *h5, Checkpoint *cp)
{
  const PetscInt wanted = cp->state->elastic ? AbutElasticHistoryWidth(cp->state->elastic) : 0;
  PetscInt64     width  = wanted;

  PetscFunctionBegin;
  if (cp->writing ? !wanted : H5Aexists(h5->file, "strain_width") <= 0) PetscFunctionReturn(0);
  PetscCall(Integer(h5, cp, "strain_width", &width));
  AbutCheck(
    width == wanted, ABUT_ERR_INPUT,
    "the checkpoint %s has %lld numbers a cell on plastic and viscous strains, the materials of this scene have %lld: j2-plasticity "
    "and the number of terms of prony must be the same",
    h5->path, (long long)width, (long long)wanted);
  cp->strain_width = wanted;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCheckpointCompareStrains(const char checkpoint[], const char body[], PetscInt found, PetscInt wanted)
{
  static const char *const flow[] = {"no j2-plasticity", "j2-plasticity"};

  PetscFunctionBegin;
  AbutCheck(found == wanted, ABUT_ERR_INPUT,
            "the checkpoint %s has %s and %" PetscInt_FMT " terms of prony for the body '%s', this scene has %s and %" PetscInt_FMT
            ": they must be the same",
            checkpoint, flow[found % 2], found / 2, body, flow[wanted % 2], wanted / 2);
  PetscFunctionReturn(0);
}

/* Refuses strains of another kind than that of the materials of the bodies: they would be read as something else. */
static PetscErrorCode StrainKinds(const AbutH5 *h5, const Checkpoint *cp)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(cp->mesh);
  PetscInt            *wanted, *found;

  PetscFunctionBegin;
  if (!cp->strain_width) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(m->num_bodies, &wanted, m->num_bodies, &found));
  PetscCall(AbutElasticHistoryKinds(cp->state->elastic, wanted));
  PetscCall(PetscArraycpy(found, wanted, m->num_bodies));
  PetscCall(Common(h5, cp, "strain_kinds", AbutH5TypeInt(), MPIU_INT, m->num_bodies, 1, found));
  for (PetscInt b = 0; b < m->num_bodies; b++) PetscCall(AbutCheckpointCompareStrains(h5->path, m->bodies[b].name, found[b], wanted[b]));
  PetscCall(PetscFree2(wanted, found));
  PetscFunctionReturn(0);
}

static PetscErrorCode Strains(const AbutH5 *h5, const Checkpoint *cp)
{
  const PetscInt width = cp->strain_width;
  PetscReal     *rows, *slice;

  PetscFunctionBegin;
  if (!width) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(width * AbutMeshGetLocal(cp->mesh)->num_cells, &rows, width * cp->cells.size, &slice));
  if (cp->writing) {
    AbutElasticGetHistory(cp->state->elastic, rows);
    PetscCall(AbutSFReduceRows(cp->cells.sf, MPIU_REAL, width, rows, slice));
    PetscCall(AbutH5WriteRows(h5, h5->file, "strain", AbutH5TypeReal(), cp->cells.size, width, slice));
  } else {
    PetscCall(AbutH5ReadRows(h5, h5->file, "strain", AbutH5TypeReal(), cp->cells.size, width, slice));
    PetscCall(AbutSFBcastRows(cp->cells.sf, MPIU_REAL, width, slice, rows));
    AbutElasticSetHistory(cp->state->elastic, rows);
  }
  PetscCall(PetscFree2(rows, slice));
  PetscFunctionReturn(0);
}

static PetscErrorCode Count(const AbutH5 *h5, const Checkpoint *cp, const char attribute[], const char what[], PetscInt wanted)
{
  PetscInt64 found = wanted;

  PetscFunctionBegin;
  PetscCall(Integer(h5, cp, attribute, &found));
  AbutCheck(found == wanted, ABUT_ERR_INPUT,
            "the checkpoint %s is of a scene with %lld %s, this scene has %lld: the states of %s cannot be matched", h5->path,
            (long long)found, what, (long long)wanted, what);
  PetscFunctionReturn(0);
}

/* State of motions and planes. */
static PetscErrorCode Boundary(const AbutH5 *h5, const Checkpoint *cp)
{
  const AbutState *state = cp->state;

  PetscFunctionBegin;
  PetscCall(Count(h5, cp, "num_motions", "motions", state->num_motions));
  PetscCall(Count(h5, cp, "num_planes", "planes", state->num_planes));
  PetscCall(Common(h5, cp, "motion", AbutH5TypeInt(), MPIU_INT, state->num_motions, 1, state->motion));
  PetscCall(Common(h5, cp, "plane_point", AbutH5TypeReal(), MPIU_REAL, state->num_planes, 3, state->plane_point));
  PetscFunctionReturn(0);
}

/* The text is a dataset of bytes: attributes hold at most 64 KB. */
static PetscErrorCode Initial(const AbutH5 *h5, const Checkpoint *cp)
{
  PetscInt64 length = 0;

  PetscFunctionBegin;
  if (!cp->initial) PetscFunctionReturn(0);
  if (cp->writing && *cp->initial) length = (PetscInt64)strlen(*cp->initial);
  AbutCheck(length < PETSC_MAX_INT, ABUT_ERR_INPUT,
            "%s: the keys of the initial state have %" PetscInt64_FMT " bytes, must have less than %" PetscInt_FMT, h5->path, length,
            PETSC_MAX_INT);
  PetscCall(Integer(h5, cp, "initial_bytes", &length));
  if (!cp->writing) PetscCall(PetscCalloc1(length + 1, cp->initial));
  PetscCall(Common(h5, cp, "initial", H5T_NATIVE_CHAR, MPI_CHAR, (PetscInt)length, 1, *cp->initial));
  PetscFunctionReturn(0);
}

static PetscErrorCode TransferState(const AbutH5 *h5, void *ctx)
{
  Checkpoint *cp    = (Checkpoint *)ctx;
  AbutState  *state = cp->state;
  PetscInt64  step = state->step, good = state->good;

  PetscFunctionBegin;
  PetscCall(cp->writing ? AbutFingerprintSave(h5, CHECKPOINT_FORMAT, &cp->print)
                        : AbutFingerprintCheck(h5, "checkpoint", CHECKPOINT_FORMAT, &cp->print));
  PetscCall(Integer(h5, cp, "step", &step));
  AbutCheck(step >= 0 && step <= PETSC_MAX_INT, ABUT_ERR_INPUT, "%s: step is out of range [0, %" PetscInt_FMT "]", h5->path, PETSC_MAX_INT);
  PetscCall(StrainWidth(h5, cp)); /* both first: a refused checkpoint leaves the state unchanged */
  PetscCall(StrainKinds(h5, cp));
  PetscCall(Boundary(h5, cp));
  PetscCall(Strains(h5, cp));
  PetscCall(Real(h5, cp, "time", &state->time));
  PetscCall(Real(h5, cp, "dt", &state->dt));
  PetscCall(Integer(h5, cp, "good_steps", &good));
  PetscCall(Real(h5, cp, "kappa", &state->kappa));
  PetscCall(Real(h5, cp, "c2", &state->c2));
  state->step = (PetscInt)step;
  state->good = (PetscInt)good;
  PetscCall(Vertices(h5, cp, "position", (PetscInt)cp->print.dim, state->x));
  PetscCall(Vertices(h5, cp, "velocity", (PetscInt)cp->print.dim, state->v));
  PetscCall(History(h5, cp));
  PetscCall(Initial(h5, cp));
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
  PetscCall(AbutSlicesCreate(comm, m->global.cells, m->num_cells, m->cell_id, &cp->cells));
  PetscCall(PetscMalloc1(cp->vertices.size * m->dim, &cp->slice));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCheckpointWrite(AbutMesh mesh, const char path[], const AbutState *state, const char initial[])
{
  AbutState      copy = *state;
  char          *text = (char *)initial;
  Checkpoint     cp;
  MPI_Comm       comm = AbutMeshGetComm(mesh);
  PetscInt64     bytes;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(Prepare(mesh, &cp));
  cp.writing = PETSC_TRUE;
  cp.state   = &copy;
  cp.initial = &text;
  bytes      = ((5 * cp.print.dim + 1) * cp.print.num_vertices + 6 * (PetscInt64)state->num_planes + state->num_motions) *
          (PetscInt64)sizeof(PetscReal);
  if (initial) bytes += (PetscInt64)strlen(initial);
  if (state->elastic) bytes += cp.print.num_cells * AbutElasticHistoryWidth(state->elastic) * (PetscInt64)sizeof(PetscReal);
  ierr = AbutH5RunReplace(comm, path, bytes, CHECKPOINT_FORMAT, TransferState, &cp);
  PetscCall(PetscFree(cp.slice));
  PetscCall(PetscSFDestroy(&cp.vertices.sf));
  PetscCall(PetscSFDestroy(&cp.cells.sf));
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
  cp.state   = state;
  cp.initial = initial;
  ierr       = AbutH5Run(comm, path, ABUT_H5_READ, 0, TransferState, &cp);
  if (ierr && initial) PetscCall(PetscFree(*initial));
  PetscCall(PetscFree(cp.slice));
  PetscCall(PetscSFDestroy(&cp.vertices.sf));
  PetscCall(PetscSFDestroy(&cp.cells.sf));
  PetscCall(ierr);
  PetscFunctionReturn(0);
}
