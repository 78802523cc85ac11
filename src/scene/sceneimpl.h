/*
  The scene format as data: what keys there are, what values they take and where the values go. The reader walks the tables to check a
  file, the reference prints the same tables.
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
  SCENE_NAME,        /* text that may name something */
  SCENE_FILE,        /* path of a readable file, relative to the scene */
  SCENE_ENUM,        /* a word of .names, stored as an enum */
  SCENE_WORD,        /* a word of .names, stored as text */
  SCENE_CHOICE,      /* a word of .names (not in PETSc's form), stored as its PetscInt index */
  SCENE_MATERIAL,    /* name of a material, stored as its index */
  SCENE_BODY,        /* name of a body or of an obstacle that is a mesh */
  SCENE_PLANE,       /* name of a plane, stored as its index */
  SCENE_SUBJECT,     /* name of a body, obstacle or plane, or "" */
  SCENE_SUBJECTS,    /* two of them, .size bytes apart */
  SCENE_LABEL,       /* of a surface, known from here on, stored as its index */
  SCENE_LABELS,      /* two known labels of surfaces, stored as their indices */
  SCENE_PATTERN,     /* path with %d, relative to the scene */
  SCENE_BOX,         /* lower and upper corner */
  SCENE_IDS,         /* integers, any number of them */
  SCENE_COEFFICIENT, /* a number, or a mapping as .section has it, stored as a SceneCoefficient */
  SCENE_MAP,
  SCENE_LIST, /* list of mappings */
  SCENE_NAMED /* mappings by name */
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
  SCENE_ONE_OF       = 2, /* exactly one of the keys of the section with this flag is given, or none if one of them has a default */
  SCENE_3D           = 4,
  SCENE_OTHER_ONE_OF = 8 /* the same as SCENE_ONE_OF for a second set of keys of the section */
};

typedef struct _SceneSection SceneSection;

typedef struct {
  const char         *key;
  SceneType           type;
  SceneForm           form;
  unsigned            flags;
  size_t              at;       /* where the value goes, in bytes from the start of what the section describes */
  size_t              size;     /* of the text, or of an item of a list */
  size_t              count_at; /* lists: where the number of items goes */
  const char         *text;     /* default; NULL = all zero or empty */
  const char         *bounds;   /* "()", "[)", "(]" or "[]" about min and max; NULL: any finite number */
  PetscReal           min, max;
  PetscReal           fill;    /* third entry of a vector in 2D */
  const char         *word;    /* a word taken instead of numbers ... */
  size_t              word_at; /* ... which sets this PetscBool (if not 0) and leaves the numbers zero */
  size_t              tag_at;  /* an enum or PetscBool, if not 0, set to `tag` where the key is given */
  int                 tag;
  const char         *with;  /* another key without which this one says nothing */
  const char *const  *names; /* ENUM (in PETSc's form), WORD, CHOICE */
  const SceneSection *section;
  const char         *unit, *help;
} SceneKey;

typedef struct _SceneReader SceneReader;

/* Where in the scene a value stands, from the inside out: bodies[0].shape.file. Keys are NULL for list items. */
typedef struct _SceneWhere {
  const struct _SceneWhere *up;
  const char               *key;
  PetscInt                  index;
} SceneWhere;

struct _SceneSection {
  const char         *title;
  const char         *help;
  const SceneKey     *keys; /* ended by a key NULL */
  const SceneSection *also; /* more keys */
  size_t              place_at;
  PetscErrorCode (*check)(SceneReader *reader, const yaml_node_t *node, const SceneWhere *where,
                          void *target); /* what one key cannot tell */
};

/* An obstacle before it is known which list it goes to. The body comes first: both have keys in common. */
typedef struct {
  AbutBodySpec  body;
  AbutPlaneSpec plane;
  PetscBool     is_plane;
} SceneObstacle;

/* Name of a surface in the table of friction coefficients. */
typedef char SceneLabel[sizeof(((AbutScene *)0)->surfaces[0])];

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
  AbutScene          scene; /* its surfaces grow with the labels that are read */
  PetscInt           version;
  PetscReal          end; /* [s] of the simulation, where it is given instead of the number of steps */
  PetscBool          has_end;
  PetscInt           num_obstacles;
  SceneObstacle     *obstacles;
  SceneCoefficient   friction; /* of pairs not listed */
  PetscInt           num_pairs;
  SceneFrictionPair *pairs;
} SceneDraft;

struct _SceneReader {
  const char      *path; /* as the user gave it */
  PetscMPIInt      rank; /* rank 0 looks for files */
  yaml_document_t *document;
  SceneDraft      *draft;
};

PETSC_INTERN const SceneSection AbutSceneRoot, AbutSceneShape, AbutScenePlacement, AbutSceneMotion, AbutSceneLoad;

/* The i-th key of a section and of what it includes; NULL past the end. */
PETSC_INTERN const SceneKey *AbutSceneKey(const SceneSection *section, PetscInt i);

/* How many words an ENUM or WORD key has. */
PETSC_INTERN PetscInt AbutSceneNumWords(const SceneKey *key);

/* What a value of the key must be: one number of it, and all of it. */
PETSC_INTERN void AbutSceneExpectNumber(const SceneKey *key, size_t size, char text[]);
PETSC_INTERN void AbutSceneExpect(const SceneKey *key, PetscInt dim, size_t size, char text[]);

/* "1, 2, or 3" of items, at most a dozen of them. */
PETSC_INTERN void AbutSceneJoin(const void *from, PetscInt num, AbutNameFn name, size_t size, char text[]);

/* Text of a plain scalar as a value; false if it is none. */
PETSC_INTERN PetscBool AbutSceneToReal(const char text[], PetscReal *value);
PETSC_INTERN PetscBool AbutSceneToInt(const char text[], PetscInt *value);
PETSC_INTERN PetscBool AbutSceneToBool(const char text[], PetscBool *value);
PETSC_INTERN PetscBool AbutSceneInRange(const SceneKey *key, PetscReal value);

/* Records "scene.yaml:12: bodies[0].shape ..." and returns ABUT_ERR_INPUT. */
PETSC_INTERN PetscErrorCode AbutSceneFail(const SceneReader *reader, const yaml_node_t *node, const SceneWhere *where, const char format[],
                                          ...) PETSC_ATTRIBUTE_FORMAT(4, 5);

/* "scene.yaml:12" into a place of 128 characters. */
PETSC_INTERN void AbutScenePlace(const SceneReader *reader, const yaml_node_t *node, char place[128]);

/* The value of a key of a mapping, NULL if it has none. */
PETSC_INTERN yaml_node_t *AbutSceneFind(const SceneReader *reader, const yaml_node_t *mapping, const char key[]);

/* A scalar's text; whether it is unquoted, and stands for nothing. */
static inline const char *SceneText(const yaml_node_t *node)
{
  return (const char *)node->data.scalar.value;
}

static inline PetscBool SceneIsPlain(const yaml_node_t *node)
{
  return (PetscBool)(node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
}

static inline PetscBool SceneIsNull(const yaml_node_t *node)
{
  return (PetscBool)(SceneIsPlain(node) && (!SceneText(node)[0] || !strcmp(SceneText(node), "~") || !strcmp(SceneText(node), "null")));
}

/* Items of a list, -1 if the node is none. */
PETSC_INTERN PetscInt AbutSceneNumItems(const yaml_node_t *node);

/* A node in a message: the scalar itself, or what it is. */
PETSC_INTERN void AbutSceneShow(const yaml_node_t *node, size_t size, char text[]);

/* Index of a scalar among names; the message lists them. */
PETSC_INTERN PetscErrorCode AbutSceneFindName(const SceneReader *reader, const yaml_node_t *node, const SceneWhere *where, const void *from,
                                              PetscInt num, AbutNameFn name, PetscInt *index);

/* The parts of AbutSceneReadValue() that deal in names and paths. */
PETSC_INTERN PetscErrorCode AbutSceneReadText(const SceneReader *reader, const SceneKey *key, const yaml_node_t *node,
                                              const SceneWhere *where, char to[]);
PETSC_INTERN PetscErrorCode AbutSceneReadReference(SceneReader *reader, const SceneKey *key, const yaml_node_t *node,
                                                   const SceneWhere *where, void *to);
PETSC_INTERN PetscErrorCode AbutSceneReadPath(const SceneReader *reader, const SceneKey *key, const yaml_node_t *node,
                                              const SceneWhere *where, char to[]);

/* Value of another kind than the key takes. */
PETSC_INTERN PetscErrorCode AbutSceneFailExpected(const SceneReader *reader, const SceneKey *key, const yaml_node_t *node,
                                                  const SceneWhere *where);

/* The number of a label, new or not; and the coefficients of all pairs of labels, once the draft is read. */
PETSC_INTERN PetscErrorCode AbutSceneInternLabel(SceneDraft *draft, const char label[], PetscInt *index);
PETSC_INTERN PetscErrorCode AbutSceneBuildFriction(SceneDraft *draft);

/* Reads the value of one key that is no mapping or list of mappings, or gives it its default. */
PETSC_INTERN PetscErrorCode AbutSceneReadValue(SceneReader *reader, const SceneKey *key, const yaml_node_t *node, const SceneWhere *where,
                                               void *target);
PETSC_INTERN PetscErrorCode AbutSceneSetDefault(const SceneKey *key, void *target);

/* Checks of whole sections. */
typedef PetscErrorCode    SceneCheckFn(SceneReader *, const yaml_node_t *, const SceneWhere *, void *);
PETSC_INTERN SceneCheckFn AbutSceneCheckRoot, AbutSceneCheckTime, AbutSceneCheckMaterial, AbutSceneCheckContact, AbutSceneCheckBody,
  AbutSceneCheckObstacle, AbutSceneCheckTorus, AbutSceneCheckPlane, AbutSceneCheckSelection, AbutSceneCheckUntil, AbutSceneCheckSequence,
  AbutSceneCheckMotion, AbutSceneCheckLoad, AbutSceneCheckCoefficient, AbutSceneCheckFriction, AbutSceneCheckFields;

/* Walks the document by a section into `target`. */
PETSC_INTERN PetscErrorCode AbutSceneReadSection(SceneReader *reader, const SceneSection *section, const yaml_node_t *node,
                                                 const SceneWhere *where, void *target);

/* Frees what a scene holds, not the scene. */
PETSC_INTERN PetscErrorCode AbutSceneReset(AbutScene *scene);
