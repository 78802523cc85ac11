/* Private to src/untangle. */
#pragma once
#include <abut/untangle.h>
