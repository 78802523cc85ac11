/* Shorthands for the entries of the schema tables. */
#pragma once
#include "sceneimpl.h"
#include <math.h>

/* The formatter fills lines with the arguments of a macro, not with the members of a brace. */
/* clang-format off */
#define KEY(...) {__VA_ARGS__}
/* clang-format on */
#define AT(type, field)         .at = offsetof(type, field)
#define TEXT_AT(type, field)    .at = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define BETWEEN(a, b)           .bounds = "()", .min = (a), .max = (b)
#define WITHIN(a, b)            .bounds = "[]", .min = (a), .max = (b)
#define TAG(type, field, value) .tag_at = offsetof(type, field), .tag = (value)
#define SECTION(name)           .type = SCENE_MAP, .section = &(name)
#define COUNT                   WITHIN(0, 1000000000)
#define CELLS                   WITHIN(1, 100000)

/* Ranges far beyond use whose products stay finite in double precision */
#define POSITIVE  WITHIN(1e-30, 1e30)
#define LENGTH    WITHIN(1e-30, 1e12)
#define DURATION  WITHIN(1e-30, 1e12)
#define COMPONENT WITHIN(-1e12, 1e12)
