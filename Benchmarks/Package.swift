// swift-tools-version: 6.2

// Benchmarks against raw SQLite and GRDB, apart from the library so that its users never
// download the competitors. `make bench` in the folder above runs them.

import PackageDescription

let package = Package(
  name: "atoll-benchmarks",
  dependencies: [
    .package(name: "atoll", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CBenchmarkSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .executableTarget(
      name: "AtollBenchmarks",
      dependencies: [
        "CBenchmarkSQLite",
        .product(name: "Atoll", package: "atoll"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: [.enableUpcomingFeature("ExistentialAny")]),
  ],
  swiftLanguageModes: [.v6]
)
