/* abut deform -resolve: writes a scene in which bodies that intersect at the start are moved apart. */
#include "resolve.h"
#include <abut/private/tools.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SCENE_NAME     "scene.yaml"
#define UNCHECKED_NAME "unchecked_" SCENE_NAME

static const char *const RestShapes[] = {"new", "keep", "RestShape", "REST_", NULL};

#define AT(member) offsetof(Resolve, member)

static const AbutOption options[] = {
  {"-o", ABUT_OPTION_TEXT, AT(directory), 0, 0, 0, "", "Folder of the new scene"},
  {"-resolve", ABUT_OPTION_BOOL, AT(resolve), 1, 0, 1, "", "Move bodies apart that intersect at the start"},
  {"-resolve_rest", ABUT_OPTION_ENUM, AT(rest), REST_NEW, 0, 0, "",
   "Rest shape of bodies that moved: the new shape, without stress, or the old one", RestShapes, "-resolve"},
  {"-overwrite", ABUT_OPTION_BOOL, AT(overwrite), 0, 0, 1, "", "Replace results in the folder"},
  {"-walltime", ABUT_OPTION_REAL, AT(walltime), 30, 0, PETSC_INFINITY, "min",
   "Wall-clock time after which the program gives up; 0: no limit"},
  {"-abut_view", ABUT_OPTION_BOOL, AT(view), 0, 0, 1, "", "Print the options in force"}};
static const AbutOptionTable ResolveOptions = {"abut deform -resolve", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Refuses an option of `abut deform` without -resolve: a user who gives it expects an effect. */
static PetscErrorCode RefuseOptions(void)
{
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-progress", &given));
  AbutCheck(!given, ABUT_ERR_INPUT, "-progress has no meaning with abut deform -resolve, which prints a line every few seconds; remove it");
  PetscFunctionReturn(0);
}

/* Refuses to replace the scene itself, and a scene in the folder unless -overwrite is given. On rank 0. */
static PetscErrorCode CheckTarget(const Resolve *r, const char name[], const char scene[])
{
  char      target[PETSC_MAX_PATH_LEN + 32], real[2][PETSC_MAX_PATH_LEN];
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(target, sizeof(target), "%s/%s", r->directory, name));
  if (access(target, F_OK)) PetscFunctionReturn(0);
  PetscCall(PetscGetRealPath(target, real[0]));
  PetscCall(PetscGetRealPath(scene, real[1]));
  PetscCall(PetscStrcmp(real[0], real[1], &same));
  AbutCheck(!same, ABUT_ERR_INPUT, "%s is the scene that is read; choose another folder with -o", target);
  AbutCheck(r->overwrite, ABUT_ERR_INPUT,
            "the folder %s has a scene already (%s): choose another folder with -o, or replace it with -overwrite", r->directory, name);
  PetscFunctionReturn(0);
}

static PetscErrorCode RemoveFile(const Resolve *r, const char name[])
{
  char path[PETSC_MAX_PATH_LEN + 32];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", r->directory, name));
  AbutCheck(!unlink(path) || errno == ENOENT, ABUT_ERR_IO, "cannot remove the old %s: %s", path, strerror(errno));
  PetscFunctionReturn(0);
}

/* Removes old results. An old scene must not stay: its meshes are about to be replaced. On rank 0. */
static PetscErrorCode RemoveOld(const Resolve *r)
{
  PetscFunctionBegin;
  PetscCall(RemoveFile(r, SCENE_NAME));
  PetscCall(RemoveFile(r, UNCHECKED_NAME));
  PetscCall(AbutResultsRemove(r->directory, PETSC_TRUE, NULL));
  PetscFunctionReturn(0);
}

/* ---- New meshes */

/* Specification of a body: copies of a body follow each other in the mesh. */
static PetscInt SpecOf(const AbutScene *scene, PetscInt body)
{
  for (PetscInt s = 0, first = 0; s < scene->num_bodies; s++) {
    const PetscInt *copies = scene->bodies[s].shape.copies;

    first += copies[0] * copies[1] * copies[2];
    if (body < first) return s;
  }
  return -1;
}

/* A name of a copy without brackets: grid[0,1,2] becomes grid_0_1_2. */
static void PlainName(const char name[], size_t size, char plain[])
{
  size_t n = 0;

  for (const char *c = name; *c && n + 1 < size; c++)
    if (*c != ']') plain[n++] = *c == '[' || *c == ',' ? '_' : *c;
  plain[n] = '\0';
}

/* File of a body: its number, then letters, digits and a few marks of its name. */
static void FileName(PetscInt body, const char name[], const char ending[], size_t size, char file[])
{
  size_t n;

  (void)PetscSNPrintf(file, size, "%03" PetscInt_FMT "_%s%s.msh", body, name, ending);
  for (n = 0; file[n]; n++)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", file[n])) file[n] = '_';
}

/* Files of a body: new shape, positions at the start. The old rest shape needs a file only if the body is one of several copies. */
static AbutSceneMesh MeshOf(const Resolve *r, PetscInt body, PetscInt spec, PetscInt i)
{
  char(*name)[sizeof(r->names[0][0])] = r->names[i];
  const PetscInt *copies              = r->model.scene->bodies[spec].shape.copies;
  const PetscBool start               = (PetscBool)(r->rest == REST_KEEP && r->report.bodies[body].num_moved);
  const PetscBool whole               = (PetscBool)(r->rest == REST_NEW || copies[0] * copies[1] * copies[2] > 1);

  PlainName(r->model.sim.local->bodies[body].name, sizeof(name[0]), name[0]);
  FileName(body, name[0], "", sizeof(name[1]), name[1]);
  FileName(body, name[0], "_start", sizeof(name[2]), name[2]);
  return (AbutSceneMesh){spec, name[0], whole ? name[1] : NULL, start ? name[2] : NULL};
}

/* A new mesh is needed for a body that moved, and for all copies of a body of which one moved. */
static PetscErrorCode ChooseMeshes(Resolve *r)
{
  const AbutMeshLocal *m = r->model.sim.local;
  PetscBool           *spec_moved;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(r->model.scene->num_bodies, &spec_moved));
  PetscCall(PetscMalloc3(m->num_bodies, &r->meshes, m->num_bodies, &r->body, m->num_bodies, &r->names));
  for (PetscInt b = 0; b < m->num_bodies; b++)
    if (r->report.bodies[b].num_moved) spec_moved[SpecOf(r->model.scene, b)] = PETSC_TRUE;
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    const PetscInt s = SpecOf(r->model.scene, b), i = r->num_meshes;

    if (!spec_moved[s] || m->bodies[b].obstacle) continue;
    r->body[i]   = b;
    r->meshes[i] = MeshOf(r, b, s, i);
    r->num_meshes++;
  }
  PetscCall(PetscFree(spec_moved));
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckReference(const Resolve *r, const char name[], const char place[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->num_meshes; i++) {
    const AbutBodySpec *spec = &r->model.scene->bodies[r->meshes[i].body];

    if (!strcmp(spec->name, r->names[i][0])) continue;
    AbutCheck(strncmp(name, spec->name, strlen(spec->name)) || (name[strlen(spec->name)] && name[strlen(spec->name)] != '['),
              ABUT_ERR_INPUT,
              "%s: names the grid of copies '%s', which becomes several bodies in the new scene; replace `copies` by separate bodies",
              place, spec->name);
  }
  PetscFunctionReturn(0);
}

/* The names in an entry of a registered list. */
static PetscErrorCode CheckEntry(const Resolve *r, const SceneSection *section, const char *entry)
{
  const SceneKey *key;

  PetscFunctionBegin;
  for (PetscInt i = 0; (key = AbutSceneKey(section, i)); i++)
    for (size_t k = 0; key->type == SCENE_SUBJECTS && k < 2; k++)
      PetscCall(CheckReference(r, entry + key->at + k * key->size, entry + section->place_at));
  PetscFunctionReturn(0);
}

/* Copies that move become separate bodies with other names: other parts of the scene must not refer to them. */
static PetscErrorCode CheckReferences(const Resolve *r)
{
  const AbutScene *s = r->model.scene;
  const SceneKey  *key;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->num_motions; i++) {
    PetscCall(CheckReference(r, s->motions[i].selection.body, s->motions[i].place));
    for (int k = 0; k < 2; k++) PetscCall(CheckReference(r, s->motions[i].until.subject[k], s->motions[i].place));
  }
  for (PetscInt i = 0; i < s->num_loads; i++) PetscCall(CheckReference(r, s->loads[i].selection.body, s->loads[i].place));
  for (PetscInt k = 0; (key = (const SceneKey *)AbutRegistered(ABUT_SCENE_KEY, k)); k++)
    for (PetscInt i = 0; i < s->lists[k].num; i++)
      PetscCall(CheckEntry(r, key->section, (const char *)s->lists[k].items + (size_t)i * key->size));
  PetscFunctionReturn(0);
}

/* ---- Output */

/* Writes a body with the positions x; does nothing without a file. */
static PetscErrorCode WriteMesh(const Resolve *r, PetscInt i, const char file[], const PetscReal x[])
{
  char path[PETSC_MAX_PATH_LEN + sizeof(r->names[0][0]) + 1];

  PetscFunctionBegin;
  if (!file) PetscFunctionReturn(0);
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", r->directory, file));
  PetscCall(AbutMeshWriteBody(r->model.sim.mesh, r->body[i], x, path));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteMeshes(const Resolve *r)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->num_meshes; i++) {
    PetscCall(WriteMesh(r, i, r->meshes[i].file, r->rest == REST_KEEP ? r->model.sim.local->rest : r->x));
    PetscCall(WriteMesh(r, i, r->meshes[i].start, r->x));
  }
  PetscFunctionReturn(0);
}

/* A time level of fields.h5: positions and the stress that they cause. */
static PetscErrorCode WriteLevel(const Resolve *r, AbutFields fields, PetscInt step, const PetscReal x[])
{
  const AbutMeshLocal *m = r->model.sim.local;
  PetscReal           *local, *mises;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(m->dim * m->num_local, &local, m->num_cells, &mises));
  PetscCall(PetscArraycpy(local, x, m->dim * m->num_owned));
  PetscCall(AbutMeshUpdateGhosts(r->model.sim.mesh, m->dim, local));
  AbutElasticGetStress(r->model.sim.elastic, local, NULL, mises);
  PetscCall(AbutFieldsWrite(fields, &(AbutFieldsLevel){.step        = step,
                                                       .time        = (PetscReal)step,
                                                       .x           = x,
                                                       .mises       = mises,
                                                       .num_planes  = r->model.scene->num_planes,
                                                       .planes      = r->model.scene->planes,
                                                       .plane_point = AbutStepperGetState(r->model.sim.stepper)->plane_point}));
  PetscCall(PetscFree2(local, mises));
  PetscFunctionReturn(0);
}

/* Level 0 is the state before, level 1 the new one. */
static PetscErrorCode WriteFields(const Resolve *r)
{
  AbutFields fields;

  PetscFunctionBegin;
  PetscCall(AbutFieldsCreate(r->model.sim.mesh, r->directory, PETSC_FALSE, 0, &fields));
  PetscCall(WriteLevel(r, fields, 0, AbutMeshGetStart(r->model.sim.mesh)));
  PetscCall(WriteLevel(r, fields, 1, r->x));
  PetscCall(AbutFieldsDestroy(&fields));
  PetscFunctionReturn(0);
}

/* Identifies the vertices of a selection: their number, the sum of their ids and of the squares of these. */
static PetscErrorCode Identify(AbutMesh mesh, const AbutSelectionSpec *selection, const char place[], PetscReal sums[3])
{
  PetscInt count, *vertices;

  PetscFunctionBegin;
  PetscCall(AbutMeshSelect(mesh, selection, place, &count, &vertices));
  for (int k = 0; k < 3; k++) sums[k] = 0;
  for (PetscInt i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) sums[k] += PetscPowRealInt((PetscReal)AbutMeshGetLocal(mesh)->vertex_id[vertices[i]], k);
  PetscCall(PetscFree(vertices));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPIU_REAL, MPIU_SUM, AbutMeshGetComm(mesh)));
  PetscFunctionReturn(0);
}

/* Warns if a selection by a box selects other vertices in the new shape. Collective. */
static PetscErrorCode WarnOfSelection(const Resolve *r, AbutMesh mesh, const AbutSelectionSpec *selection, const char place[])
{
  PetscReal before[3], after[3];

  PetscFunctionBegin;
  if (!selection->has_box) PetscFunctionReturn(0);
  PetscCall(Identify(r->model.sim.mesh, selection, place, before));
  PetscCall(Identify(mesh, selection, place, after));
  if (before[0] != after[0] || before[1] != after[1] || before[2] != after[2])
    PetscCall(AbutWarn(r->model.comm, "%s: the box selects other vertices in the new shapes (%g instead of %g); adapt it", place,
                       (double)after[0], (double)before[0]));
  PetscFunctionReturn(0);
}

/* Warns of files that move a body back to where it was. */
static PetscErrorCode WarnOfSequence(const Resolve *r, const AbutMotionSpec *motion)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->num_meshes && motion->sequence.pattern[0]; i++)
    if (r->report.bodies[r->body[i]].num_moved && !strcmp(r->names[i][0], motion->selection.body))
      PetscCall(AbutWarn(r->model.comm, "%s: '%s' was moved, but the files of its sequence were not; adapt them", motion->place,
                         motion->selection.body));
  PetscFunctionReturn(0);
}

static PetscErrorCode WarnOfSelections(const Resolve *r, AbutMesh mesh)
{
  const AbutScene *s = r->model.scene;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->num_motions; i++) {
    if (s->motions[i].plane < 0) PetscCall(WarnOfSelection(r, mesh, &s->motions[i].selection, s->motions[i].place));
    PetscCall(WarnOfSequence(r, &s->motions[i]));
  }
  for (PetscInt i = 0; i < s->num_loads; i++) PetscCall(WarnOfSelection(r, mesh, &s->loads[i].selection, s->loads[i].place));
  PetscFunctionReturn(0);
}

/* Checks the new scene as `abut check` does. Collective. */
static PetscErrorCode CheckScene(const Resolve *r, const char path[])
{
  Model          model = {0};
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(ModelCreate(r->model.comm, path, -1, &model));
  code = ModelCheckStart(&model, "", PETSC_FALSE);
  if (!code) PetscCall(WarnOfSelections(r, model.sim.mesh));
  PetscCall(ModelDestroy(&model));
  PetscFunctionReturn(code);
}

/* Says that a message is about the new scene. */
static PetscErrorCode NameScene(PetscErrorCode code, const char path[])
{
  char message[2048];

  PetscFunctionBegin;
  if (!code || !AbutIsVerdict(code)) PetscFunctionReturn(code);
  PetscCall(PetscStrncpy(message, AbutErrorMessage(), sizeof(message)));
  AbutErrorClear();
  PetscFunctionReturn(AbutErrorSet(code, "the new scene fails the check; it is kept as %s to be corrected: %s", path, message));
}

/* Writes the scene under another name and renames it if it passes the check. */
static PetscErrorCode WriteScene(const Resolve *r)
{
  const MPI_Comm comm = r->model.comm;
  char           path[PETSC_MAX_PATH_LEN + 16], temporary[PETSC_MAX_PATH_LEN + 32];
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/" SCENE_NAME, r->directory));
  PetscCall(PetscSNPrintf(temporary, sizeof(temporary), "%s/" UNCHECKED_NAME, r->directory));
  PetscCall(AbutAgree(comm, AbutIsRoot(comm) ? AbutSceneWriteMeshes(r->model.scene, temporary, r->num_meshes, r->meshes) : 0));
  code = NameScene(CheckScene(r, temporary), temporary);
  if (AbutIsRoot(comm) && !code && rename(temporary, path))
    code = AbutErrorSet(ABUT_ERR_IO, "cannot rename %s: %s", temporary, strerror(errno));
  PetscCall(AbutAgree(comm, code));
  PetscFunctionReturn(0);
}

static PetscErrorCode Print(const Resolve *r)
{
  const AbutUntangleReport *report = &r->report;
  const MPI_Comm            comm   = r->model.comm;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < report->num_pairs; i++)
    PetscCall(PetscPrintf(comm, "'%s' and '%s': %" PetscInt_FMT " crossings, depth %.3g m\n",
                          ResolvePartyName(r, report->pairs[i].party[0]), ResolvePartyName(r, report->pairs[i].party[1]),
                          report->pairs[i].crossings, (double)report->pairs[i].depth));
  for (PetscInt b = 0; b < r->model.sim.local->num_bodies; b++) {
    const AbutUntangleBodyReport *body = &report->bodies[b];

    if (!body->num_moved) continue;
    if (body->whole > 0)
      PetscCall(AbutWarn(comm,
                         "'%s' moved as a whole by %.3g m: otherwise cells would be crushed, or surfaces would still "
                         "cross; check its place",
                         r->model.sim.local->bodies[b].name, (double)body->whole));
    PetscCall(PetscPrintf(comm,
                          "'%s': %" PetscInt_FMT " vertices moved, by %.3g m at most, volume %+.2g %%, smallest cell determinant %.3g\n",
                          r->model.sim.local->bodies[b].name, body->num_moved, (double)body->displacement,
                          (double)(100 * body->volume_change / body->volume), (double)body->smallest_det));
  }
  if (!r->num_meshes)
    PetscCall(PetscPrintf(comm,
                          "no bodies intersect, and all are at least %.3g m apart: nothing moved, the scene is written as it was to "
                          "%s/" SCENE_NAME "\n",
                          (double)report->gap, r->directory));
  else
    PetscCall(PetscPrintf(comm, "%" PetscInt_FMT " pass%s, gap %.3g m, new scene %s/" SCENE_NAME "\n", report->passes,
                          report->passes == 1 ? "" : "es", (double)report->gap, r->directory));
  PetscFunctionReturn(0);
}

/* ---- Command */

static PetscErrorCode Untangle(Resolve *r)
{
  const AbutScene        *scene = r->model.scene;
  const PetscReal         size  = r->model.sim.local->global.diagonal;
  const PetscReal         dhat  = AbutQuantityResolve(&scene->step.dhat, AbutStepSpecLength(&scene->step, size));
  AbutUntangleWatch       watch;
  const AbutUntangleParts parts = {.mesh          = r->model.sim.mesh,
                                   .contact       = r->model.sim.contact,
                                   .num_materials = scene->num_materials,
                                   .materials     = scene->materials,
                                   .num_planes    = scene->num_planes,
                                   .planes        = scene->planes,
                                   .watch         = &watch};

  PetscFunctionBegin;
  PetscCall(AbutUntangleWatchStart(r->model.comm, PETSC_TRUE, r->walltime, &watch));
  PetscCall(PetscMalloc1(r->model.sim.local->dim * r->model.sim.local->num_owned, &r->x));
  PetscCall(AbutUntangle(&parts, dhat, r->x, &r->report));
  PetscCall(ChooseMeshes(r));
  PetscCall(CheckReferences(r));
  PetscCall(WriteFields(r));
  PetscCall(WriteMeshes(r));
  PetscCall(WriteScene(r));
  PetscFunctionReturn(0);
}

static PetscErrorCode TearDown(Resolve *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(r->meshes, r->body, r->names));
  PetscCall(PetscFree(r->x));
  PetscCall(AbutUntangleReportDestroy(&r->report));
  PetscCall(ModelDestroy(&r->model));
  PetscFunctionReturn(0);
}

static PetscErrorCode CommandResolve(MPI_Comm comm, const char scene[], PetscBool terminal)
{
  Resolve        r = {.model = {.comm = comm}};
  PetscErrorCode code;

  PetscFunctionBegin;
  (void)terminal;
  PetscCall(AbutOptionTableRead(comm, &ResolveOptions, &r));
  AbutCheck(r.directory[0], ABUT_ERR_INPUT, "abut deform -resolve needs a folder for the new scene: -o DIR");
  PetscCall(RefuseOptions());
  PetscCall(DirectoryPrepare(comm, r.directory, r.overwrite, PETSC_FALSE));
  PetscCall(FolderLockTake(comm, r.directory, NULL));
  PetscCall(AbutAgree(comm, AbutIsRoot(comm) ? CheckTarget(&r, SCENE_NAME, scene) : 0));
  PetscCall(AbutAgree(comm, AbutIsRoot(comm) ? CheckTarget(&r, UNCHECKED_NAME, scene) : 0));
  PetscCall(ModelCreate(comm, scene, -1, &r.model));
  PetscCall(AbutAgree(comm, AbutIsRoot(comm) ? RemoveOld(&r) : 0));
  code = Untangle(&r);
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  PetscCall(ResolveWriteSummary(&r, code));
  if (!code) PetscCall(Print(&r));
  if (!code && r.view) PetscCall(AbutOptionTableShow(comm, &AbutUntangleOptions, PETSC_VIEWER_STDOUT_(comm)));
  if (!code && r.view) PetscCall(AbutOptionTableShow(comm, &AbutUntangleFollowOptions, PETSC_VIEWER_STDOUT_(comm)));
  if (!code) PetscCall(WarnOfUnusedOptions(comm));
  PetscCall(TearDown(&r));
  PetscFunctionReturn(code);
}

const AbutCommand AbutCommandResolve = {
  .name        = "deform",
  .instead     = "-resolve",
  .usage       = "  abut deform SCENE.yaml -resolve -o DIR [-resolve_rest new|keep] [-overwrite] [-walltime MINUTES]\n"
                 "                                     a new scene in which bodies that intersect at the start are moved apart\n",
  .separates   = PETSC_TRUE,
  .execute     = CommandResolve,
  .options     = (const AbutOptionTable *const[]){&ResolveOptions, NULL},
  .tables      = (const AbutOptionTable *const[]){&AbutUntangleOptions, &AbutUntangleFollowOptions, &AbutUntangleShrinkOptions, NULL},
  .prefixes    = (const char *const[]){"-resolve_", NULL},
  .run_table   = &AbutUntangleShrinkOptions,
  .interpolate = InterpolateCheckpoint,
};
