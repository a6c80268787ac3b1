// The types of a kernel in which the structure of core.c looks otherwise.
struct header {
	unsigned char more[20];
	unsigned char kind;
	unsigned short size;
};

struct header example;
