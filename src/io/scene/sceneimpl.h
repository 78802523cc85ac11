/*
  The scene format as tables: keys, types and ranges of their values, and the struct members that receive the values. The reader checks a
  scene file by these tables; the scene reference is printed from them.
*/
#pragma once
#include <abut/scene.h>
#include <string.h>
#include <yaml.h>

typedef enum {
  SCENE_REAL,
  SCENE_INT,
  SCENE_BOOL,
  SCENE_TEXT,
  SCENE_NAME,        /* text that names a body, an obstacle or a material */
  SCENE_FILE,        /* path of a readable file, relative to the scene file */
  SCENE_ENUM,        /* a word of .names, stored as an enum */
  SCENE_WORD,        /* a word of .names, stored as text */
  SCENE_CHOICE,      /* a word of .names, stored as its PetscInt index */
  SCENE_MATERIAL,    /* name of a material, stored as its index */
  SCENE_BODY,        /* name of a body or of an obstacle that is a mesh */
  SCENE_PLANE,       /* name of a plane, stored as its index */
  SCENE_SUBJECT,     /* name of a body, obstacle or plane, or "" */
  SCENE_SUBJECTS,    /* two subjects, .size bytes apart */
  SCENE_LABEL,       /* label of a surface, new or known, stored as its index */
  SCENE_LABELS,      /* two known labels of surfaces, stored as their indices */
  SCENE_PATTERN,     /* path with %d, relative to the scene file */
  SCENE_BOX,         /* lower and upper corner */
  SCENE_IDS,         /* one or more integers */
  SCENE_COEFFICIENT, /* a number, or a mapping by .section, stored as a SceneCoefficient */
  SCENE_MAP,         /* mapping by .section */
  SCENE_LIST,        /* list of mappings by .section */
  SCENE_NAMED        /* mapping from names to mappings by .section */
} SceneType;

/* How many numbers a SCENE_REAL or SCENE_INT has. */
typedef enum {
  SCENE_SCALAR,
  SCENE_PAIR,
  SCENE_VECTOR,  /* as many as the scene has dimensions */
  SCENE_UNIFORM, /* a vector, or one number for all its entries */
  SCENE_AXIS     /* an axial vector: in 2D one number, about z */
} SceneForm;

enum {
  SCENE_REQUIRED     = 1,
  SCENE_ONE_OF       = 2, /* exactly one of the section's keys with this flag is given, or none if one of them has a default */
  SCENE_3D           = 4,
  SCENE_OTHER_ONE_OF = 8, /* SCENE_ONE_OF for a second set of keys of the section */
  SCENE_INITIAL      = 16 /* a vector or file that defines the initial state only: a restart warns if it has changed */
};

typedef struct _SceneSection SceneSection;
typedef struct _SceneReader  SceneReader;

/* Key path of a value, from the inside out: bodies[0].shape.file. Keys are NULL for list items. */
typedef struct _SceneWhere {
  const struct _SceneWhere *up;
  const char               *key;
  PetscInt                  index;
} SceneWhere;

/* Writes a part of the scene reference. */
typedef void SceneHelpFn(size_t size, char text[]);
/* Checks several keys of a section against each other after all are read. */
typedef PetscErrorCode SceneCheckFn(SceneReader *reader, const yaml_node_t *node, const SceneWhere *where, void *target);

/* A word of the previous release and the word that replaces it; it is read with a warning. Tables end with {0}. */
typedef struct {
  const char *old, *now;
} SceneReplaced;

/* A key of an earlier version and why it is gone, which the message says. Tables end with {0}. */
typedef struct {
  const char *key, *why;
} SceneRemoved;

typedef struct {
  const char          *key;
  SceneType            type;
  SceneForm            form;
  unsigned             flags;
  size_t               at;       /* offset of the value in the struct that the section describes */
  size_t               size;     /* bytes of a text, or of an item of a list */
  size_t               count_at; /* lists: offset of the number of items */
  const char          *text;     /* default; NULL: zero or empty */
  const char          *bounds;   /* "()", "[)", "(]" or "[]" around min and max; every number has them */
  PetscReal            min, max;
  PetscReal            fill;    /* third entry of a vector in 2D */
  const char          *word;    /* a word accepted instead of numbers ... */
  size_t               word_at; /* ... which sets the PetscBool at this offset (if not 0) and leaves the numbers zero */
  size_t               tag_at;  /* offset of an enum or PetscBool, if not 0, that is set to `tag` where the key is given */
  int                  tag;
  const char          *with;     /* another key that this one requires */
  const char *const   *names;    /* ENUM (in PETSc's form), WORD, CHOICE */
  const SceneReplaced *replaced; /* words of the previous release; NULL: none */
  const SceneSection  *section;
  SceneHelpFn         *more;  /* NULL, or writes more text that follows `help` in the scene reference */
  SceneCheckFn        *after; /* NULL, or called with the mapping when the value is read or its default stored */
  const char          *unit, *help;
} SceneKey;

struct _SceneSection {
  const char         *title;
  const char         *help;
  const SceneKey     *keys;     /* ended by a key NULL */
  const SceneRemoved *removed;  /* keys of earlier versions; NULL: none */
  const SceneSection *also;     /* more keys */
  const char         *advice;   /* added to the message on an unknown key; NULL: none */
  size_t              place_at; /* offset of the text that receives the place of the mapping, "scene.yaml:12"; 0: none */
  SceneCheckFn       *check;
};

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
typedef struct {
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
} SceneDraft;

struct _SceneReader {
  const char      *path; /* as the user gave it */
  PetscMPIInt      rank; /* rank 0 looks for files and prints warnings */
  yaml_document_t *document;
  SceneDraft      *draft; /* the scene, or a default for scenes of the deformer */

  const SceneSection *root;   /* schema of the file ... */
  void               *target; /* ... and the struct it describes */
};

/*
  read.c: reads a file by a schema into a struct. `draft` is NULL for schemas without references to bodies and materials. Collective; see
  AbutSceneRead() for errors, the same on all ranks.
*/
PETSC_INTERN PetscErrorCode AbutSceneReadFile(MPI_Comm comm, const char path[], const SceneSection *root, void *target, SceneDraft *draft);

/* read.c: the text of a file, ended by a zero byte; free with PetscFree(). Not collective. */
PETSC_INTERN PetscErrorCode AbutSceneReadBytes(const char path[], char **text, size_t *length);

/* schema*.c */
PETSC_INTERN const SceneSection AbutSceneRoot, AbutSceneShape, AbutScenePlacement, AbutSceneMotion, AbutSceneLoad, AbutSceneExpected,
  AbutSceneContact;

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

/* Records "scene.yaml:12: bodies[0].shape ..." and returns ABUT_ERR_INPUT. */
PETSC_INTERN PetscErrorCode AbutSceneFail(const SceneReader *reader, const yaml_node_t *node, const SceneWhere *where, const char format[],
                                          ...) PETSC_ATTRIBUTE_FORMAT(4, 5);

/* The same for the value of a key of the mapping `node`, or for the mapping if it lacks the key. */
PETSC_INTERN PetscErrorCode AbutSceneFailKey(const SceneReader *reader, const yaml_node_t *node, const SceneWhere *where, const char key[],
                                             const char format[], ...) PETSC_ATTRIBUTE_FORMAT(5, 6);

/* Returns from a function with AbutSceneFailKey() unless the condition holds. */
#define SceneCheck(condition, ...)                                                       \
  do {                                                                                   \
    if (PetscUnlikely(!(condition))) PetscFunctionReturn(AbutSceneFailKey(__VA_ARGS__)); \
  } while (0)

/* The same with "is <value>, must be <valid values>". */
PETSC_INTERN PetscErrorCode AbutSceneFailExpected(const SceneReader *reader, const SceneKey *key, const yaml_node_t *node,
                                                  const SceneWhere *where);

/* Writes file and line of a node, "scene.yaml:12", for messages. */
PETSC_INTERN void AbutScenePlace(const SceneReader *reader, const yaml_node_t *node, char place[128]);

/* Key of a pair of a mapping, "" if it is no scalar. */
PETSC_INTERN const char *AbutSceneKeyText(const SceneReader *reader, const yaml_node_pair_t *pair);

/* Value of a key of a mapping, NULL if the mapping lacks it. */
PETSC_INTERN yaml_node_t *AbutSceneFind(const SceneReader *reader, const yaml_node_t *mapping, const char key[]);

/* Number of items of a list, -1 if the node is no list; the i-th item. */
PETSC_INTERN PetscInt     AbutSceneNumItems(const yaml_node_t *node);
PETSC_INTERN yaml_node_t *AbutSceneItem(const SceneReader *reader, const yaml_node_t *list, PetscInt i);

/* A node for a message: the text of a scalar, else "a mapping" or "a list of 3". */
PETSC_INTERN void AbutSceneShow(const yaml_node_t *node, size_t size, char text[]);

/* Replaces a scalar that is an old word of the table by the present one; rank 0 prints a warning. */
PETSC_INTERN PetscErrorCode AbutSceneReplaceWord(const SceneReader *reader, const SceneReplaced *table, yaml_node_t *node,
                                                 const SceneWhere *where);

static inline const char *SceneText(const yaml_node_t *node)
{
  return (const char *)node->data.scalar.value;
}

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

/* Index of a scalar among names; ABUT_ERR_INPUT with the list of names if it is none of them. */
PETSC_INTERN PetscErrorCode AbutSceneFindName(const SceneReader *reader, const yaml_node_t *node, const SceneWhere *where, const void *from,
                                              PetscInt num, AbutNameFn name, PetscInt *index);
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

/* walk.c: the i-th key of a section and of the sections it includes, NULL past the end; reads a section into `target`. */
PETSC_INTERN const SceneKey *AbutSceneKey(const SceneSection *section, PetscInt i);
PETSC_INTERN PetscErrorCode  AbutSceneReadSection(SceneReader *reader, const SceneSection *section, const yaml_node_t *node,
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
  AbutSceneCheckMotion, AbutSceneCheckLoad, AbutSceneCheckExpected, AbutSceneCheckCoefficient, AbutSceneCheckFriction, AbutSceneCheckFields;

/* check.c: divides a vector, the value of the key "normal", by its length; ABUT_ERR_INPUT if the length is 0 or infinite. */
PETSC_INTERN PetscErrorCode AbutSceneNormalize(SceneReader *reader, const yaml_node_t *node, const SceneWhere *where, PetscReal normal[3]);

/* friction.c: fills the table of coefficients of all pairs of labels from the draft. */
PETSC_INTERN PetscErrorCode AbutSceneBuildFriction(SceneDraft *draft);
