/* How the tables of the scene format are written: shared by the files that hold them. */
#pragma once
#include "sceneimpl.h"
#include <math.h>

#define AT(type, field)         .at = offsetof(type, field)
#define TEXT_AT(type, field)    .at = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define ABOVE(a)                .bounds = "()", .min = (a), .max = INFINITY
#define FROM(a)                 .bounds = "[)", .min = (a), .max = INFINITY
#define BETWEEN(a, b)           .bounds = "()", .min = (a), .max = (b)
#define WITHIN(a, b)            .bounds = "[]", .min = (a), .max = (b)
#define TAG(type, field, value) .tag_at = offsetof(type, field), .tag = (value)
#define SECTION(name)           .type = SCENE_MAP, .section = &(name)
#define COUNT                   WITHIN(0, 1000000000)
#define CELLS                   WITHIN(1, 100000)
