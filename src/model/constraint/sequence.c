/* Sequences: positions of a whole body or obstacle read from files, one a frame, with linear interpolation in time. */
#include "constraintimpl.h"
#include <string.h>

/* Exactly one conversion, %d or %0Nd: snprintf() must not see any other. */
PetscBool AbutSequenceIsPattern(const char text[])
{
  PetscInt numbers = 0;

  for (const char *c = strchr(text, '%'); c; c = strchr(c, '%')) {
    const size_t digits = strspn(++c, "0123456789");
    if (digits == 0 && *c == '%') {
      c++;
      continue;
    }
    if (digits > 2 || c[digits] != 'd') return PETSC_FALSE;
    numbers++;
  }
  return (PetscBool)(numbers == 1);
}

void AbutSequencePath(const AbutSequence *sequence, PetscInt frame, char path[PETSC_MAX_PATH_LEN])
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  (void)snprintf(path, PETSC_MAX_PATH_LEN, sequence->pattern, (int)(sequence->first + frame));
#pragma GCC diagnostic pop
}

PetscInt AbutSequenceFirstMissing(const AbutSequence *sequence, char path[PETSC_MAX_PATH_LEN])
{
  for (PetscInt k = 0; k < sequence->count; k++) {
    AbutSequencePath(sequence, k, path);
    if (AbutFileWhyUnreadable(path)) return k;
  }
  return -1;
}

static PetscErrorCode CheckSequence(const AbutMotionSpec *spec)
{
  const AbutSequence *sequence = &spec->sequence;

  PetscFunctionBegin;
  AbutCheck(AbutSequenceIsPattern(sequence->pattern), ABUT_ERR_INPUT,
            "%s: \"%s\" names no sequence of files; it must hold the number of the frame once, as %%d or %%04d", spec->place,
            sequence->pattern);
  AbutCheck(sequence->count >= 1, ABUT_ERR_INPUT, "%s: a sequence of %" PetscInt_FMT " files; at least 1 is needed", spec->place,
            sequence->count);
  AbutCheck(sequence->count == 1 || sequence->interval > 0, ABUT_ERR_INPUT, "%s: the interval between frames is %g s; it must be positive",
            spec->place, (double)sequence->interval);
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckFiles(const AbutMotionSpec *spec)
{
  char           path[PETSC_MAX_PATH_LEN];
  const PetscInt missing = AbutSequenceFirstMissing(&spec->sequence, path);

  PetscFunctionBegin;
  AbutCheck(missing < 0, ABUT_ERR_INPUT, "%s: cannot open %s, frame %" PetscInt_FMT " of the %" PetscInt_FMT " of the sequence",
            spec->place, path, missing + 1, spec->sequence.count);
  PetscFunctionReturn(0);
}

/* Finds the body of the motion's vertices; error unless the motion selects exactly all vertices of one body. Collective. */
static PetscErrorCode FindBody(const Kinematics *k, const Motion *motion, PetscInt *body)
{
  const AbutBody *bodies;
  PetscInt        range[3] = {PETSC_MAX_INT, PETSC_MAX_INT, 0}, num = motion->num_vertices; /* lowest, - highest body */

  PetscFunctionBegin;
  for (PetscInt n = 0; n < motion->num_vertices; n++) {
    range[0] = PetscMin(range[0], k->ml->vertex_body[motion->vertices[n]]);
    range[1] = PetscMin(range[1], -k->ml->vertex_body[motion->vertices[n]]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPIU_INT, MPI_MIN, k->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &num, 1, MPIU_INT, MPI_SUM, k->comm));
  bodies = k->ml->bodies;
  AbutCheck(range[0] == -range[1], ABUT_ERR_INPUT, "%s: a sequence moves one body or obstacle; the selection takes '%s' and '%s'",
            motion->spec->place, bodies[range[0]].name, bodies[-range[1]].name);
  *body = range[0];
  AbutCheck(num == bodies[*body].vertex_end - bodies[*body].vertex_start, ABUT_ERR_INPUT,
            "%s: a sequence moves a whole body; the selection takes %" PetscInt_FMT " of the %" PetscInt_FMT " vertices of '%s'",
            motion->spec->place, num, bodies[*body].vertex_end - bodies[*body].vertex_start, bodies[*body].name);
  PetscFunctionReturn(0);
}

/* Loads a frame into slot i, unless a slot has it already. Collective. */
static PetscErrorCode LoadFrame(const Kinematics *k, Motion *motion, int i, PetscInt frame)
{
  FrameBuffer *q = &motion->frames;
  char         path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (q->frame[i] == frame) PetscFunctionReturn(0);
  if (q->frame[1 - i] == frame) {
    PetscReal *const x = q->x[i];
    q->x[i]            = q->x[1 - i];
    q->x[1 - i]        = x;
    q->frame[1 - i]    = q->frame[i];
    q->frame[i]        = frame;
    PetscFunctionReturn(0);
  }
  AbutSequencePath(&motion->spec->sequence, frame, path);
  PetscCall(AbutMeshReadPositions(k->mesh, q->body, path, motion->spec->place, q->x[i]));
  q->frame[i] = frame;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSequenceCreate(const Kinematics *k, Motion *motion)
{
  FrameBuffer *q = &motion->frames;

  PetscFunctionBegin;
  if (!motion->spec->sequence.pattern[0]) PetscFunctionReturn(0);
  PetscCall(CheckSequence(motion->spec));
  PetscCall(FindBody(k, motion, &q->body));
  PetscCall(AbutAgree(k->comm, AbutIsRoot(k->comm) ? CheckFiles(motion->spec) : 0));
  q->frame[0] = q->frame[1] = -1;
  for (int i = 0; i < 2; i++) PetscCall(PetscCalloc1(k->ml->num_owned * k->dim, &q->x[i]));
  PetscCall(LoadFrame(k, motion, 0, 0)); /* detects a file of another mesh before the run starts */
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSequenceSetTargets(const Kinematics *k, Motion *motion, PetscReal time, PetscReal target[])
{
  const AbutSequence *sequence = &motion->spec->sequence;
  const FrameBuffer  *q        = &motion->frames;
  const PetscReal     last = (PetscReal)(sequence->count - 1), at = last > 0 ? (time - motion->spec->start) / sequence->interval : 0;
  const PetscReal     nearest = PetscFloorReal(at + 0.5);
  PetscReal           position, weight;

  PetscFunctionBegin;
  position = PetscAbsReal(at - nearest) < 1e-9 * (1 + nearest) ? nearest : at; /* within round-off of a frame: no interpolation */
  position = PetscMin(PetscMax(position, 0), last);
  weight   = position - PetscFloorReal(position);
  PetscCall(LoadFrame(k, motion, 0, (PetscInt)PetscFloorReal(position)));
  if (weight > 0) PetscCall(LoadFrame(k, motion, 1, (PetscInt)PetscFloorReal(position) + 1));
  for (PetscInt n = 0; n < motion->num_vertices; n++)
    for (PetscInt i = motion->vertices[n] * k->dim; i < (motion->vertices[n] + 1) * k->dim; i++)
      target[i] = weight > 0 ? (1 - weight) * q->x[0][i] + weight * q->x[1][i] : q->x[0][i];
  PetscFunctionReturn(0);
}
