#include "CMetadata.h"
