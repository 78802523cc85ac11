/*
  The scene format as tables: keys, types and ranges of their values, and the struct members that receive the values. The reader checks a
  scene file by these tables; the scene reference is printed from them. A tool registers the keys that it adds to scenes.
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
  SCENE_CHOICES,     /* one or more words of .names, stored as bits of a PetscInt */
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
  SCENE_TABLE,       /* two or more pairs of a time and a value, stored as an AbutTimeTable */
  SCENE_COEFFICIENT, /* a number, or a mapping by .section, stored as a SceneCoefficient */
  SCENE_MAP,         /* mapping by .section */
  SCENE_LIST,        /* list of mappings by .section */
  SCENE_NAMED,       /* mapping from names to mappings by .section */
  SCENE_TOOLS        /* no key: the place of the keys that tools register */
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
  SCENE_OTHER_ONE_OF = 8,  /* SCENE_ONE_OF for a second set of keys of the section */
  SCENE_INITIAL      = 16, /* a vector or file that defines the initial state only: a restart warns if it has changed */
  SCENE_OF_TOOL      = 32  /* a SCENE_LIST that a tool registers: its target is an AbutSceneList */
};

typedef struct _SceneSection SceneSection;
typedef struct _SceneReader  SceneReader;
typedef struct _SceneDraft   SceneDraft;

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

/* A key that is not read, and why, for the message: "which was removed: ...". Tables end with {0}. */
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
  const SceneRemoved *removed;  /* keys that are not read; NULL: none */
  const SceneSection *also;     /* more keys */
  const char         *advice;   /* added to the message on an unknown key; NULL: none */
  size_t              place_at; /* offset of the text that receives the place of the mapping, "scene.yaml:12"; 0: none */
  SceneCheckFn       *check;
};

struct _SceneReader {
  const char      *path; /* as the user gave it */
  PetscMPIInt      rank; /* rank 0 looks for files and prints warnings */
  yaml_document_t *document;
  SceneDraft      *draft; /* the scene, or a default for files with another schema */

  const SceneSection *root;   /* schema of the file ... */
  void               *target; /* ... and the struct it describes */
};

/*
  Kinds of AbutRegister(). A SceneKey with the flag SCENE_OF_TOOL becomes a key of the file of `abut run`. The SceneSection of another file
  is printed in the scene reference. A SceneRemoved is a key of a tool that this build lacks.
*/
#define ABUT_SCENE_KEY     "key of a scene"
#define ABUT_SCENE_FILE    "file of a tool"
#define ABUT_SCENE_LACKING "key of a tool that was not built"

/* Keys of the file of `abut run`; shape and placement of a body. */
PETSC_INTERN const SceneSection AbutSceneRoot, AbutSceneShape, AbutScenePlacement;

/*
  read.c: reads a file by a schema into a struct. `draft` is NULL for schemas without references to bodies and materials. Collective; see
  AbutSceneRead() for errors, the same on all ranks.
*/
PETSC_INTERN PetscErrorCode AbutSceneReadFile(MPI_Comm comm, const char path[], const SceneSection *root, void *target, SceneDraft *draft);

/* read.c: the text of a file, ended by a zero byte; free with PetscFree(). Not collective. */
PETSC_INTERN PetscErrorCode AbutSceneReadBytes(const char path[], char **text, size_t *length);

/* walk.c: the i-th key of a section and of the sections it includes, NULL past the end. */
PETSC_INTERN const SceneKey *AbutSceneKey(const SceneSection *section, PetscInt i);

/* The scene as far as it is read. */
PETSC_INTERN const AbutScene *AbutSceneDraftGet(const SceneReader *reader);

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

/* Key of a pair of a mapping, "" if it is no scalar. */
PETSC_INTERN const char *AbutSceneKeyText(const SceneReader *reader, const yaml_node_pair_t *pair);

/* Value of a key of a mapping, NULL if the mapping lacks it. */
PETSC_INTERN yaml_node_t *AbutSceneFind(const SceneReader *reader, const yaml_node_t *mapping, const char key[]);

/* Number of items of a list, -1 if the node is no list; the i-th item. */
PETSC_INTERN PetscInt     AbutSceneNumItems(const yaml_node_t *node);
PETSC_INTERN yaml_node_t *AbutSceneItem(const SceneReader *reader, const yaml_node_t *list, PetscInt i);

/* Index of a scalar among names; ABUT_ERR_INPUT with the list of names if it is none of them. */
PETSC_INTERN PetscErrorCode AbutSceneFindName(const SceneReader *reader, const yaml_node_t *node, const SceneWhere *where, const void *from,
                                              PetscInt num, AbutNameFn name, PetscInt *index);

/* check.c: divides a vector, the value of the key "normal", by its length; ABUT_ERR_INPUT if the length is 0 or infinite. */
PETSC_INTERN PetscErrorCode AbutSceneNormalize(SceneReader *reader, const yaml_node_t *node, const SceneWhere *where, PetscReal normal[3]);

static inline const char *SceneText(const yaml_node_t *node)
{
  return (const char *)node->data.scalar.value;
}
