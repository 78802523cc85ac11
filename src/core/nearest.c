/* Finds the name in a list that is most similar to a misspelled word. */
#include <abut/core.h>
#include <ctype.h>
#include <string.h>

#define WORD_MAX 64 /* longer words are not compared */

/* Edit distance: smallest number of letters to insert, remove or replace [Levenshtein 1966]. */
static size_t WordDistance(const char a[], const char b[])
{
  const size_t m = strlen(a), n = strlen(b);
  size_t       row[WORD_MAX + 1];

  if (m > WORD_MAX || n > WORD_MAX) return WORD_MAX;
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t diagonal = row[0];
    row[0]          = i;
    for (size_t j = 1; j <= n; j++) {
      const size_t exchange = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
      diagonal              = row[j];
      row[j]                = PetscMin(exchange, PetscMin(row[j - 1], row[j]) + 1);
    }
  }
  return row[n];
}

const char *AbutNearestName(const char word[], const void *from, PetscInt num, AbutNameFn name)
{
  size_t      best    = strlen(word) / 3 + 2; /* accepts one wrong letter, and one more for every three letters of the word */
  const char *nearest = NULL;

  for (PetscInt i = 0; i < num; i++) {
    const size_t distance = WordDistance(word, name(from, i));
    if (distance < best) {
      best    = distance;
      nearest = name(from, i);
    }
  }
  return nearest;
}
