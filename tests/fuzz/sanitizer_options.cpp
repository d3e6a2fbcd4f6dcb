// Defaults of AddressSanitizer. Of freed memory it keeps 256 MB from being used again, so that inputs would
// be decoded in pages that the kernel has to make first.
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=8"; }
