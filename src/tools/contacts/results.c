/*
  contacts.h5: a group for each method and in it a group for each step, with one row for each contact. The file is open only while a level
  is written.
*/
#include "results.h"
#include <abut/containers.h>
#include <stddef.h>
#include <string.h>

#define FORMAT 1 /* version of contacts.h5 */

static PetscErrorCode CreateWork(const AbutH5 *h5, void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  PetscCall(AbutH5SetInt(h5, h5->file, "format", FORMAT));
  PetscFunctionReturn(0);
}

/* Copies a name; characters that a CSV file quotes become '_'. */
static PetscErrorCode CopyName(const char name[], size_t size, char copy[])
{
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(copy, name, size));
  for (char *p = copy; *p; p++)
    if (*p == ',' || *p == '"' || (unsigned char)*p < ' ') *p = '_';
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactResultsCreate(AbutMesh mesh, const char directory[], const char name[], AbutContactResults *results)
{
  AbutContactResults r;
  PetscErrorCode     local = 0;

  PetscFunctionBegin;
  *results = NULL;
  PetscCall(PetscNew(&r));
  r->mesh = mesh;
  r->comm = AbutMeshGetComm(mesh);
  PetscCallMPI(MPI_Comm_rank(r->comm, &r->rank));
  PetscCall(CopyName(name, sizeof(r->name), r->name));
  PetscCall(AbutPathJoin(directory, "contacts.h5", r->h5));
  PetscCall(AbutPathJoin(directory, "contacts.xdmf", r->xdmf));
  if (!r->rank) local = AbutContactTablesOpen(r, directory);
  PetscCall(AbutAgree(r->comm, local));
  PetscCall(AbutH5Run(r->comm, r->h5, ABUT_H5_CREATE, 0, CreateWork, NULL));
  *results = r;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactResultsDestroy(AbutContactResults *results)
{
  AbutContactResults r = *results;
  PetscErrorCode     local;

  PetscFunctionBegin;
  if (!r) PetscFunctionReturn(0);
  local = r->rank ? 0 : AbutContactXdmfWrite(r);
  PetscCall(AbutContactTablesClose(r));
  PetscCall(PetscFree(r->entries));
  PetscCall(PetscFree(*results));
  PetscFunctionReturn(local);
}

/* Columns of one level: rank 0 writes all rows. */
typedef struct {
  const AbutContactLevel *level;
  PetscInt                rows;
  PetscReal              *real;    /* [3 * rows] */
  PetscInt               *integer; /* [2 * rows] */
} LevelContext;

/* Writes a vector of each contact, the member of AbutPointContact at this offset. */
static PetscErrorCode WriteVector(const AbutH5 *h5, const LevelContext *c, hid_t group, const char name[], size_t offset)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->rows; i++) memcpy(&c->real[3 * i], (const char *)&c->level->contacts->a[i] + offset, 3 * sizeof(PetscReal));
  PetscCall(AbutH5WriteRows(h5, group, name, AbutH5TypeReal(), c->rows, 3, c->real));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteColumns(const AbutH5 *h5, const LevelContext *c, hid_t group)
{
  const AbutPointContact *a = c->level->contacts->a;

  PetscFunctionBegin;
  PetscCall(WriteVector(h5, c, group, "position", offsetof(AbutPointContact, position)));
  PetscCall(WriteVector(h5, c, group, "normal", offsetof(AbutPointContact, normal)));
  for (PetscInt i = 0; i < c->rows; i++) c->real[i] = a[i].separation;
  PetscCall(AbutH5WriteRows(h5, group, "separation", AbutH5TypeReal(), c->rows, 1, c->real));
  for (PetscInt i = 0; i < c->rows; i++) c->real[i] = a[i].weight;
  PetscCall(AbutH5WriteRows(h5, group, "weight", AbutH5TypeReal(), c->rows, 1, c->real));
  for (PetscInt i = 0; i < c->rows; i++) c->real[i] = c->level->match[i];
  PetscCall(AbutH5WriteRows(h5, group, "match", AbutH5TypeReal(), c->rows, 1, c->real));
  for (PetscInt i = 0; i < 2 * c->rows; i++) c->integer[i] = a[i / 2].body[i % 2];
  PetscCall(AbutH5WriteRows(h5, group, "body", AbutH5TypeInt(), c->rows, 2, c->integer));
  for (PetscInt i = 0; i < 2 * c->rows; i++) c->integer[i] = (PetscInt)a[i / 2].feature[i % 2];
  PetscCall(AbutH5WriteRows(h5, group, "feature", AbutH5TypeInt(), c->rows, 2, c->integer));
  PetscFunctionReturn(0);
}

static PetscErrorCode LevelWork(const AbutH5 *h5, void *ctx)
{
  const LevelContext *c = (const LevelContext *)ctx;
  char                name[32];
  hid_t               method, group;

  PetscFunctionBegin;
  if (H5Lexists(h5->file, c->level->method, H5P_DEFAULT) > 0)
    PetscCall(AbutH5OpenGroup(h5, h5->file, c->level->method, &method));
  else
    PetscCall(AbutH5CreateGroup(h5, h5->file, c->level->method, &method));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%06" PetscInt_FMT, c->level->step));
  PetscCall(AbutH5CreateGroup(h5, method, name, &group));
  PetscCall(AbutH5SetReal(h5, group, "time", c->level->time));
  PetscCall(WriteColumns(h5, c, group));
  PetscCall(AbutH5CloseGroup(h5, group));
  PetscCall(AbutH5CloseGroup(h5, method));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddEntry(AbutContactResults r, const AbutContactLevel *level)
{
  AbutContactIndexEntry entry = {.step = level->step, .contacts = level->contacts->n, .time = level->time};

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(entry.method, level->method, sizeof(entry.method)));
  PetscCall(AbutReserve(r->num_entries + 1, &r->capacity, &r->entries));
  r->entries[r->num_entries++] = entry;
  PetscFunctionReturn(0);
}

static PetscErrorCode WritePoints(AbutContactResults r, const AbutContactLevel *level)
{
  const PetscInt n = level->contacts->n;
  LevelContext   c = {.level = level, .rows = r->rank ? 0 : n};
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(3 * c.rows, &c.real, 2 * c.rows, &c.integer));
  code = AbutH5Run(r->comm, r->h5, ABUT_H5_EDIT, (PetscInt64)n * (PetscInt64)sizeof(AbutPointContact), LevelWork, &c);
  PetscCall(PetscFree2(c.real, c.integer));
  PetscCall(code);
  PetscCall(AddEntry(r, level));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactResultsAdd(AbutContactResults r, const AbutContactLevel *level)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  code = AbutAgree(r->comm, r->rank ? 0 : AbutContactTablesAdd(r, level));
  if (!code && level->with_points) code = WritePoints(r, level);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(code);
  PetscFunctionReturn(0);
}
