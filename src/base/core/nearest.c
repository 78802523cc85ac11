/* Edit distance of words, and the name in a list that is most similar to a misspelled word. */
#include <abut/core.h>
#include <ctype.h>
#include <string.h>

#define WORD_MAX 64 /* longer words are not compared */

static PetscBool SameLetter(char a, char b)
{
  return (PetscBool)(tolower((unsigned char)a) == tolower((unsigned char)b));
}

size_t AbutWordDistance(const char a[], const char b[])
{
  const size_t m = strlen(a), n = strlen(b);
  size_t       rows[3][WORD_MAX + 1];
  size_t      *above2 = rows[0], *above = rows[1], *row = rows[2];

  if (m > WORD_MAX || n > WORD_MAX) return WORD_MAX;
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t *oldest = above2;
    above2         = above;
    above          = row;
    row            = oldest;
    row[0]         = i;
    for (size_t j = 1; j <= n; j++) {
      row[j] = PetscMin(above[j - 1] + !SameLetter(a[i - 1], b[j - 1]), PetscMin(row[j - 1], above[j]) + 1);
      if (i > 1 && j > 1 && SameLetter(a[i - 1], b[j - 2]) && SameLetter(a[i - 2], b[j - 1])) row[j] = PetscMin(row[j], above2[j - 2] + 1);
    }
  }
  return row[n];
}

const char *AbutNearestName(const char word[], const void *from, PetscInt num, AbutNameFn name)
{
  /* Distance from which on a name is not similar: words of 2, 4, 6 and 9 letters may have 1, 2, 3 and 4 wrong letters. */
  const size_t letters = strlen(word) - strspn(word, "-");
  size_t       best    = PetscMin(letters / 3 + 2, letters / 2 + 1);
  const char  *nearest = NULL;

  for (PetscInt i = 0; i < num; i++) {
    const size_t distance = AbutWordDistance(word, name(from, i));
    if (distance < best) {
      best    = distance;
      nearest = name(from, i);
    }
  }
  return nearest;
}
