/* Key of a scene: normals that contacts should have. */
#include "contacts.h"
#include <abut/private/keys.h>

/* Whether a name is "" or that of a half space: neither has contact points. */
static PetscBool IsNoBody(const AbutScene *scene, const char name[])
{
  for (PetscInt p = 0; p < scene->num_planes; p++)
    if (!strcmp(scene->planes[p].name, name)) return PETSC_TRUE;
  return (PetscBool)!name[0];
}

static PetscErrorCode CheckExpected(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  ExpectedNormalSpec *expected = (ExpectedNormalSpec *)target;
  const SceneWhere    between  = {where, "between", 0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 2; i++)
    if (IsNoBody(AbutSceneDraftGet(r), expected->body[i]))
      PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "between"), &(SceneWhere){&between, NULL, i},
                                        "is \"%s\", must be the name of a body or of an obstacle that is a mesh", expected->body[i]));
  if (!expected->follows_centers) PetscCall(AbutSceneNormalize(r, node, where, expected->normal));
  PetscFunctionReturn(0);
}

static const SceneSection section = {
  .help = "A normal that the contacts of two bodies should have. `abut run` does not read it.",
  KEYS(
    KEY(.key = "between", .type = SCENE_SUBJECTS, AT(ExpectedNormalSpec, body), .flags = SCENE_REQUIRED,
        .size = sizeof(((ExpectedNormalSpec *)0)->body[0]),
        .help = "`[a, b]`: names of two bodies; the name of a grid of copies is all its copies"),
    KEY(.key = "normal", AT(ExpectedNormalSpec, normal), COMPONENT, .form = SCENE_VECTOR, .flags = SCENE_REQUIRED, .word = "centers",
        .word_at = offsetof(ExpectedNormalSpec, follows_centers),
        .help =
          "direction from body a to body b, of any length except 0; a pair with several normals has an entry for each. `centers`: at every "
          "step the direction between the centres of mass, of obstacles and bodies that a motion moves between centres of bounding boxes"),
    KEY(.key = "contacts", .type = SCENE_INT, AT(ExpectedNormalSpec, contacts), COUNT, .text = "1",
        .help = "smallest number of contacts with this normal that represents the contact region"),
    KEY(.key = "area", AT(ExpectedNormalSpec, area), WITHIN(0, 1e30), .text = "0", .unit = "m^2",
        .help = "area of the contact region; 0: not known")),
  .place_at = offsetof(ExpectedNormalSpec, place),
  .check    = CheckExpected};

const SceneKey ExpectedNormalsKey = {.key      = "expected_normals",
                                     .type     = SCENE_LIST,
                                     .flags    = SCENE_OF_TOOL,
                                     .at       = offsetof(AbutSceneList, items),
                                     .count_at = offsetof(AbutSceneList, num),
                                     .size     = sizeof(ExpectedNormalSpec),
                                     .section  = &section,
                                     .help = "normals that contacts should have; `abut contacts` measures contact-point methods by them"};
