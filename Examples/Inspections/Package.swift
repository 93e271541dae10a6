// swift-tools-version: 6.2

// A sample application: inspections in the field, on as many machines as there are inspectors. A
// package of its own, so that nobody who uses Atoll fetches its web server.

import PackageDescription

let package = Package(
  name: "inspections",
  products: [.executable(name: "inspections", targets: ["Inspections"])],
  dependencies: [
    .package(name: "atoll", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(name: "InspectionModel", dependencies: [.product(name: "Atoll", package: "atoll")]),
    .executableTarget(
      name: "Inspections",
      dependencies: [
        "InspectionModel", .product(name: "Atoll", package: "atoll"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "InspectionTests",
      dependencies: ["InspectionModel", "Inspections", .product(name: "Atoll", package: "atoll")]),
  ]
)
