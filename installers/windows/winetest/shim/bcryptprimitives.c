/*
 * bcryptprimitives.dll for wine before 9, which lacks it: programs of Go take their random numbers from ProcessPrng and do not start without it.
 *
 *     x86_64-w64-mingw32-gcc -shared -Os -s -o bcryptprimitives.dll bcryptprimitives.c -ladvapi32
 */
#include <windows.h>

/* SystemFunction036 is RtlGenRandom, which advapi32 of wine has. */
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	return SystemFunction036(data, (ULONG)size);
}
