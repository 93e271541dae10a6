// Finds model classes without registration, by walking what the compiler left in every image. On Apple's
// systems the Objective-C runtime is asked instead; that was never compiled.
//
// The Swift runtime exports `swift_enumerateAllMetadataSections` for its own debugger support. Each
// image, statically linked or loaded, hands over the addresses of its metadata sections; the section
// of nominal types is an array of 32-bit relative references to context descriptors. A class's
// descriptor says whether the class is generic and names its superclass by a symbolic reference to
// another descriptor, so that the chain of superclasses can be followed without making the runtime
// instantiate a single class. Only what matches is instantiated.
//
// Layouts: `swift/ABI/Metadata.h`, `swift/ABI/MetadataValues.h` and
// `stdlib/public/runtime/ImageInspection*.cpp` of Swift 6. Should they change, the walk finds
// nothing or `atoll_metadata_version` differs; a test of `Atoll` notices, and applications fall
// back to `objectTypes:` and to registration at first use.

#pragma once

#include <stddef.h>
#include <stdint.h>

/// The version of the metadata sections this file knows.
#define ATOLL_METADATA_VERSION 5

/// The version that the first image's sections carry; 0 if there are none.
uintptr_t atoll_metadata_version(void);

/// Writes the class metadata of every non-generic class below one of `roots` to `found`.
///
/// `roots` are class metadata (what `unsafeBitCast(Root.self, to: UnsafeRawPointer.self)` gives);
/// they are not reported themselves. Returns how many classes there are, which may be more than
/// `capacity`: then call again with more room.
size_t atoll_metadata_subclasses(
    const void *const *roots, size_t root_count, const void **found, size_t capacity);

/// Whether the code that runs is in the serial executor that the two words name, which are those of
/// an `UnownedSerialExecutor`; negative if the runtime cannot say so without stopping the process.
///
/// `swift_task_isCurrentExecutorWithFlags` of `stdlib/public/Concurrency/Actor.cpp`, since Swift 6.2.
int atoll_executor_is_current(const void *identity, uintptr_t implementation);
