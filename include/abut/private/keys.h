/* Shorthands for the entries of the schema tables. */
#pragma once
#include <abut/private/schema.h>
#include <math.h>

/* The formatter fills lines with the arguments of a macro, not with the members of a brace. */
/* clang-format off */
#define KEY(...) {__VA_ARGS__}
#define KEYS(...) .keys = (const SceneKey[]){__VA_ARGS__, {0}}
/* clang-format on */
#define AT(type, field)           .at = offsetof(type, field)
#define TEXT_AT(type, field)      .at = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define LIST_AT(type, items, num) .at = offsetof(type, items), .count_at = offsetof(type, num), .size = sizeof(*((type *)0)->items)
#define BETWEEN(a, b)             .bounds = "()", .min = (a), .max = (b)
#define WITHIN(a, b)              .bounds = "[]", .min = (a), .max = (b)
#define TAG(type, field, value)   .tag_at = offsetof(type, field), .tag = (value)
#define SECTION(name)             .type = SCENE_MAP, .section = &(name)

/* Keys of a speed, an AbutQuantity. */
#define SPEED_KEYS(member, initial)                                                                                           \
  KEYS(KEY(.key = "relative", AT(SceneDraft, member.value), .flags = SCENE_ONE_OF, POSITIVE, .text = (initial),               \
           TAG(SceneDraft, member.relative, PETSC_TRUE), .unit = "1/s", .help = "in units of `reference_length` per second"), \
       KEY(.key = "absolute", AT(SceneDraft, member.value), .flags = SCENE_ONE_OF, POSITIVE,                                  \
           TAG(SceneDraft, member.relative, PETSC_FALSE), .unit = "m/s", .help = "in metres per second"))

#define COUNT WITHIN(0, 1000000000)
#define CELLS WITHIN(1, 100000)

/* Ranges far beyond use whose products stay finite in double precision */
#define POSITIVE  WITHIN(1e-30, 1e30)
#define LENGTH    WITHIN(1e-30, 1e12)
#define DURATION  WITHIN(1e-30, 1e12)
#define COMPONENT WITHIN(-1e12, 1e12)
