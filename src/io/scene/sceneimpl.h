/* Private to src/io/scene: the scene while it is read, values, text for messages. */
#pragma once
#include <abut/private/schema.h>

/* An obstacle before it becomes a body or a plane of the scene. The body comes first: placement keys address both. */
typedef struct {
  AbutBodySpec  body;
  AbutPlaneSpec plane;
  PetscBool     is_plane;
} SceneObstacle;

/* Label of a surface in the table of friction coefficients. */
typedef char SceneLabel[sizeof(((AbutScene *)0)->surfaces[0])];

/* Coefficients of friction. */
typedef struct {
  PetscReal at_rest, moving;
} SceneCoefficient;

typedef struct {
  PetscInt         surface[2];
  SceneCoefficient mu;
  char             place[128];
} SceneFrictionPair;

/* The scene while it is read. */
struct _SceneDraft {
  AbutScene          scene;
  PetscInt           version;
  PetscReal          end;                               /* end time [s]; valid if has_end */
  PetscBool          has_end;                           /* the scene gives time.end instead of time.steps */
  PetscBool          has_tolerance, has_friction_speed; /* the scene gives solver.tolerance, contact.friction.speed */
  PetscInt           num_obstacles;
  SceneObstacle     *obstacles;
  SceneCoefficient   friction; /* of pairs not listed */
  PetscInt           num_pairs;
  SceneFrictionPair *pairs;
};

/* schema*.c */
PETSC_INTERN const SceneSection AbutSceneMotion, AbutSceneLoad, AbutSceneTie, AbutSceneContact;

/* text.c: values from text, and text for messages */

/* Number of words of an ENUM, WORD or CHOICE key. */
PETSC_INTERN PetscInt AbutSceneNumWords(const SceneKey *key);

/* Valid values of the key, "must be ...": of one of its numbers, and of the whole value. */
PETSC_INTERN void AbutSceneExpectNumber(const SceneKey *key, size_t size, char text[]);
PETSC_INTERN void AbutSceneExpect(const SceneKey *key, PetscInt dim, size_t size, char text[]);

/* Type of the values for the scene reference: "axial vector". */
PETSC_INTERN void AbutSceneTypeText(const SceneKey *key, size_t size, char text[]);

/* "a, b, c" from a list of names, at most a dozen of them. */
PETSC_INTERN void AbutSceneJoin(const void *from, PetscInt num, AbutNameFn name, size_t size, char text[]);

/* Value of a plain scalar; false if the text is no such value. */
PETSC_INTERN PetscBool AbutSceneToReal(const char text[], PetscReal *value);
PETSC_INTERN PetscBool AbutSceneToInt(const char text[], PetscInt *value);
PETSC_INTERN PetscBool AbutSceneToBool(const char text[], PetscBool *value);
PETSC_INTERN PetscBool AbutSceneInRange(const SceneKey *key, PetscReal value);

/* node.c: the YAML document */

/* Writes the key path of a value, "bodies[0].shape.file". */
PETSC_INTERN void AbutSceneWhereText(const SceneWhere *where, size_t size, char text[]);

/* The same with "is <value>, must be <valid values>". */
PETSC_INTERN PetscErrorCode AbutSceneFailExpected(const SceneReader *reader, const SceneKey *key, const yaml_node_t *node,
                                                  const SceneWhere *where);

/* Writes file and line of a node, "scene.yaml:12", for messages. */
PETSC_INTERN void AbutScenePlace(const SceneReader *reader, const yaml_node_t *node, char place[128]);

/* A node for a message: the text of a scalar, else "a mapping" or "a list of 3". */
PETSC_INTERN void AbutSceneShow(const yaml_node_t *node, size_t size, char text[]);

/* Replaces a scalar that is an old word of the table by the present one; rank 0 prints a warning. */
PETSC_INTERN PetscErrorCode AbutSceneReplaceWord(const SceneReader *reader, const SceneReplaced *table, yaml_node_t *node,
                                                 const SceneWhere *where);

/* An unquoted scalar. */
static inline PetscBool SceneIsPlain(const yaml_node_t *node)
{
  return (PetscBool)(node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
}

static inline PetscBool SceneIsNull(const yaml_node_t *node)
{
  return (PetscBool)(SceneIsPlain(node) && (!SceneText(node)[0] || !strcmp(SceneText(node), "~") || !strcmp(SceneText(node), "null")));
}

/* limits.c: reads the events of the whole text; ABUT_ERR_INPUT if it is too deep, too long or holds a zero byte. */
PETSC_INTERN PetscErrorCode AbutSceneCheckLimits(const SceneReader *reader, yaml_parser_t *parser);

/* names.c, path.c: values that are names, labels and paths */

PETSC_INTERN PetscErrorCode AbutSceneReadText(const SceneReader *reader, const SceneKey *key, const yaml_node_t *node,
                                              const SceneWhere *where, char to[]);
PETSC_INTERN PetscErrorCode AbutSceneReadReference(SceneReader *reader, const SceneKey *key, const yaml_node_t *node,
                                                   const SceneWhere *where, void *to);
PETSC_INTERN PetscErrorCode AbutSceneReadPath(const SceneReader *reader, const SceneKey *key, const yaml_node_t *node,
                                              const SceneWhere *where, char to[]);

/* Index of a label, which becomes known if it is new. */
PETSC_INTERN PetscErrorCode AbutSceneInternLabel(SceneDraft *draft, const char label[], PetscInt *index);

/* value.c: reads the value of a key that is no section, or stores its default. */
PETSC_INTERN PetscErrorCode AbutSceneReadValue(SceneReader *reader, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where,
                                               void *target);
PETSC_INTERN PetscErrorCode AbutSceneSetDefault(SceneReader *reader, const SceneKey *key, const SceneWhere *where, void *target);

/* walk.c: reads a section into `target`. */
PETSC_INTERN PetscErrorCode AbutSceneReadSection(SceneReader *reader, const SceneSection *section, const yaml_node_t *node,
                                                 const SceneWhere *where, void *target);

/* initial.c: records path and value of a SCENE_INITIAL key in the draft's scene.initial. */
PETSC_INTERN PetscErrorCode AbutSceneRecordInitial(SceneDraft *draft, const SceneKey *key, const SceneWhere *where, const void *target);
/* Records the potential and its activation distance, which the barrier stiffness of a checkpoint belongs to. */
PETSC_INTERN PetscErrorCode AbutSceneRecordContact(AbutScene *scene);

/* potentials.c: the potentials that read a key of `contact`, "`oipc`, `gcp`: "; all of them with description, and with unit of stiffness */
PETSC_INTERN void        AbutSceneKeyReaders(const char key[], size_t size, char text[]);
PETSC_INTERN SceneHelpFn AbutScenePotentialKinds, AbutScenePotentialUnits;

/* check*.c, friction.c, obstacles.c, potentials.c */
PETSC_INTERN SceneCheckFn AbutSceneSortObstacles, AbutSceneCheckTime, AbutSceneCheckMaterial, AbutSceneCheckContact, AbutSceneCheckBody,
  AbutSceneCheckObstacle, AbutSceneCheckTorus, AbutSceneCheckPlane, AbutSceneCheckSelection, AbutSceneCheckUntil, AbutSceneCheckSequence,
  AbutSceneCheckMotion, AbutSceneCheckLoad, AbutSceneCheckCoefficient, AbutSceneCheckFriction, AbutSceneCheckFields;

/* friction.c: fills the table of coefficients of all pairs of labels from the draft. */
PETSC_INTERN PetscErrorCode AbutSceneBuildFriction(SceneDraft *draft);
