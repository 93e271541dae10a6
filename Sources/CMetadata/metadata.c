#include "CMetadata.h"

#include <stdbool.h>
#include <string.h>

#if defined(__APPLE__)

// MARK: What the Objective-C runtime knows: classes of Swift are its classes, too

#include <objc/runtime.h>
#include <stdlib.h>

uintptr_t atoll_metadata_version(void) { return ATOLL_METADATA_VERSION; }

static bool descends(Class class, const void *const *roots, size_t root_count) {
  for (Class above = class_getSuperclass(class); above; above = class_getSuperclass(above))
    for (size_t i = 0; i < root_count; i++)
      if (above == (Class)roots[i]) return true;
  return false;
}

/// Of a generic class there is one for each type that it was used with; these have names of their own.
static bool is_generic(Class class) { return strncmp(class_getName(class), "_TtG", 4) == 0; }

size_t atoll_metadata_subclasses(
    const void *const *roots, size_t root_count, const void **found, size_t capacity) {
  unsigned int class_count = 0;
  Class *classes = objc_copyClassList(&class_count);
  size_t count = 0;
  for (unsigned int i = 0; i < class_count; i++) {
    if (is_generic(classes[i]) || !descends(classes[i], roots, root_count)) continue;
    if (count < capacity) found[count] = (const void *)classes[i];
    count++;
  }
  free(classes);
  return count;
}

#else

// MARK: What the runtime hands over (ELF: swift/runtime `MetadataSections`)

struct section_range {
  const char *start;
  size_t length;
};

struct metadata_sections {
  uintptr_t version;
  const void *base_address;
  const void *unused0;
  const void *unused1;
  struct section_range protocols;
  struct section_range conformances;
  struct section_range types;
};

extern void swift_enumerateAllMetadataSections(
    bool (*body)(const struct metadata_sections *sections, void *context), void *context)
    __attribute__((swiftcall));

// MARK: Context descriptors (swift/ABI/Metadata.h `TargetClassDescriptor`)

struct class_descriptor {
  uint32_t flags;
  int32_t parent;
  int32_t name;
  int32_t access_function;
  int32_t fields;
  int32_t superclass;
};

enum {
  KIND_MASK = 0x1f,
  KIND_CLASS = 16,
  FLAG_GENERIC = 0x80,
  SYMBOLIC_DIRECT = 0x01,
  SYMBOLIC_INDIRECT = 0x02,
  REFERENCE_KIND_MASK = 0x3,
  REFERENCE_DIRECT = 0,
  REFERENCE_INDIRECT = 1,
  LONGEST_CHAIN = 64,
  // In class metadata the descriptor follows kind, superclass, two words of cache, data,
  // flags, instance address point, instance size, alignment, reserved, class size and
  // address point: without Objective-C, kind and superclass, then those from flags on.
  DESCRIPTOR_WORD = 5,
};

static const void *relative(const int32_t *field) {
  return *field == 0 ? NULL : (const char *)field + *field;
}

static bool is_class(const struct class_descriptor *descriptor) {
  return (descriptor->flags & KIND_MASK) == KIND_CLASS;
}

/// The superclass's descriptor, if the class names it by nothing but a symbolic reference.
static const struct class_descriptor *superclass(const struct class_descriptor *descriptor) {
  const unsigned char *name = relative(&descriptor->superclass);
  if (name == NULL) return NULL;
  if (name[0] != SYMBOLIC_DIRECT && name[0] != SYMBOLIC_INDIRECT) return NULL;
  int32_t distance;
  memcpy(&distance, name + 1, sizeof distance);
  const void *target = (const char *)(name + 1) + distance;
  return name[0] == SYMBOLIC_DIRECT ? target : *(const void *const *)target;
}

static const struct class_descriptor *descriptor_of(const void *metadata) {
  return ((const struct class_descriptor *const *)metadata)[DESCRIPTOR_WORD];
}

// MARK: The walk

struct walk {
  const void *const *roots;
  size_t root_count;
  const void **found;
  size_t capacity;
  size_t count;
};

static bool descends(const struct class_descriptor *descriptor, const struct walk *walk) {
  for (int step = 0; step < LONGEST_CHAIN; step++) {
    descriptor = superclass(descriptor);
    if (descriptor == NULL || !is_class(descriptor)) return false;
    for (size_t i = 0; i < walk->root_count; i++)
      if (descriptor == descriptor_of(walk->roots[i])) return true;
  }
  return false;
}

struct metadata_response {
  const void *value;
  size_t state;
};

/// Asks the descriptor's access function for the complete metadata.
static const void *instantiate(const struct class_descriptor *descriptor) {
  typedef struct metadata_response (*accessor)(size_t request) __attribute__((swiftcall));
  const void *function = relative(&descriptor->access_function);
  return function == NULL ? NULL : ((accessor)function)(0).value;
}

static void visit(const struct class_descriptor *descriptor, struct walk *walk) {
  if (!is_class(descriptor) || (descriptor->flags & FLAG_GENERIC) != 0) return;
  if (!descends(descriptor, walk)) return;
  const void *metadata = instantiate(descriptor);
  if (metadata == NULL) return;
  if (walk->count < walk->capacity) walk->found[walk->count] = metadata;
  walk->count++;
}

static bool visit_sections(const struct metadata_sections *sections, void *context) {
  if (sections->version != ATOLL_METADATA_VERSION) return true;
  const int32_t *record = (const int32_t *)sections->types.start;
  const int32_t *end = (const int32_t *)(sections->types.start + sections->types.length);
  for (; record < end; record++) {
    int kind = *record & REFERENCE_KIND_MASK;
    const char *target = (const char *)record + (*record & ~REFERENCE_KIND_MASK);
    if (kind == REFERENCE_DIRECT)
      visit((const struct class_descriptor *)target, context);
    else if (kind == REFERENCE_INDIRECT)
      visit(*(const struct class_descriptor *const *)target, context);
  }
  return true;
}

static bool note_version(const struct metadata_sections *sections, void *context) {
  *(uintptr_t *)context = sections->version;
  return false;
}

uintptr_t atoll_metadata_version(void) {
  uintptr_t version = 0;
  swift_enumerateAllMetadataSections(note_version, &version);
  return version;
}

size_t atoll_metadata_subclasses(
    const void *const *roots, size_t root_count, const void **found, size_t capacity) {
  struct walk walk = {roots, root_count, found, capacity, 0};
  swift_enumerateAllMetadataSections(visit_sections, &walk);
  return walk.count;
}

#endif

// MARK: Executors (swift/ABI/Executor.h `SerialExecutorRef`)

struct executor {
  const void *identity;
  uintptr_t implementation;
};

extern bool swift_task_isCurrentExecutorWithFlags(struct executor executor, uintptr_t flags)
    __attribute__((swiftcall, weak));

int atoll_executor_is_current(const void *identity, uintptr_t implementation) {
  if (!swift_task_isCurrentExecutorWithFlags) return -1;
  struct executor executor = {identity, implementation};
  return swift_task_isCurrentExecutorWithFlags(executor, 0) ? 1 : 0;
}
