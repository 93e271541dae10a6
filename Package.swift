// swift-tools-version: 6.2

// The modules of Atoll. `Sources/README.md` has the table; imports only go down in it, and
// `Tests/HouseTests` compares every `import` with the dependencies declared here.

import PackageDescription

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")

// The exchange with other nodes; an application on one device can leave it out.
let replicating = TargetDependencyCondition.when(traits: ["Replication"])
let eventLoop = Target.Dependency.target(name: "AtollEventLoop", condition: replicating)
let node = Target.Dependency.target(name: "AtollNode", condition: replicating)
let presence = Target.Dependency.target(name: "AtollPresence", condition: replicating)
let transport = Target.Dependency.target(name: "AtollTransport", condition: replicating)
/// Apple's systems have CryptoKit.
let hashing = Target.Dependency.target(name: "COpenSSL", condition: .when(platforms: [.linux]))

/// As most applications that use Realm are compiled.
let applicationSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v5), .treatAllWarnings(as: .error),
]

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// A module: a folder of `Sources/` with its own test target in `Tests/<Module>Tests`.
func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The `main` of one product: parse, validate, call, exit code.
func executable(
  _ name: String, _ dependencies: [Target.Dependency], path: String? = nil
) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

/// The tests of a module, or of several modules together.
func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  resources: [Resource]? = nil, settings: [SwiftSetting] = settings
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources,
    swiftSettings: settings)
}

/// A C library of the system: a module map and a shim header, nothing else.
func system(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
  name: "atoll",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Atoll", targets: ["Atoll"]),
    .library(name: "AtollRealm", targets: ["AtollRealm"]),
    .library(name: "RealmSwift", targets: ["RealmSwift"]),
    .library(name: "AtollSimulation", targets: ["AtollSimulation"]),
    .executable(name: "atolld", targets: ["AtollDaemon"]),
    .executable(name: "atoll", targets: ["AtollCommand"]),
    .executable(name: "atoll-cluster", targets: ["AtollCluster"]),
  ],
  traits: [
    .trait(
      name: "Replication",
      description: "Exchanging with other nodes. Without it a store is local, and needs no libuv."),
    .default(enabledTraits: ["Replication"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    // 0: words, and the C libraries
    module("AtollVocabulary", []),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    system("CUV", pkgConfig: "libuv", apt: "libuv1-dev"),
    system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
    .target(name: "CMetadata"),

    // 1
    module("AtollSQLite", ["AtollVocabulary", "CSQLite"]),
    module("AtollQuery", ["AtollVocabulary"]),
    module("AtollChanges", ["AtollVocabulary", hashing]),
    module("AtollEventLoop", ["AtollVocabulary", "CUV", deque]),

    // 2
    module("AtollLog", ["AtollVocabulary", "AtollSQLite", "AtollChanges"]),
    module("AtollWire", ["AtollVocabulary", "AtollChanges", "CZstd"]),

    // 3
    module(
      "AtollStorage",
      ["AtollVocabulary", "AtollSQLite", "AtollQuery", "AtollChanges", "AtollLog"]),
    module(
      "AtollPresence", ["AtollVocabulary", "AtollSQLite", "AtollEventLoop", "AtollWire"]),
    module("AtollReplication", ["AtollVocabulary", "AtollChanges", "AtollWire", deque]),
    module(
      "AtollTransport",
      ["AtollVocabulary", "AtollChanges", "AtollWire", "AtollEventLoop", "COpenSSL"]),

    // 4
    module(
      "AtollInspect",
      ["AtollVocabulary", "AtollChanges", "AtollQuery", "AtollStorage", "AtollPresence"]),
    module(
      "AtollEdit",
      ["AtollVocabulary", "AtollQuery", "AtollStorage", "AtollPresence", "AtollInspect"]),
    module(
      "AtollNode",
      [
        "AtollVocabulary", "AtollSQLite", "AtollChanges", "AtollWire", "AtollReplication",
        "AtollStorage", "AtollEventLoop", "AtollPresence", "AtollTransport", logging, metrics,
      ]),
    module(
      "Atoll",
      [
        "AtollVocabulary", "AtollChanges", "AtollQuery", "AtollStorage", "CMetadata", deque,
        eventLoop, presence, transport, node,
      ]),
    module(
      "AtollSimulation",
      [
        "AtollVocabulary", "AtollSQLite", "AtollChanges", "AtollWire", "AtollReplication",
        "AtollQuery", "AtollStorage", "AtollNode", "Atoll", heap,
      ]),

    // 5
    .target(
      name: "AtollStudio",
      dependencies: [
        "AtollVocabulary", "AtollQuery", "AtollStorage", "AtollPresence", "AtollInspect",
        "AtollEdit", nio, nioHTTP, nioPosix,
      ],
      resources: [.embedInCode("Site"), .embedInCode("openapi.yaml")], swiftSettings: settings),
    module("AtollRealm", ["Atoll"]),

    // 6
    module("RealmSwift", ["AtollRealm"]),
    executable(
      "AtollDaemon",
      [
        "AtollVocabulary", "AtollEventLoop", "AtollPresence", "AtollTransport", "AtollNode",
        "AtollStudio", argumentParser, logging, metrics,
      ]),
    executable(
      "AtollCommand",
      [
        "AtollVocabulary", "AtollQuery", "AtollStorage", "AtollPresence", "AtollInspect",
        "AtollEdit", "AtollTransport", "AtollNode", "AtollStudio", argumentParser,
      ]),
    executable(
      "AtollCluster",
      [
        "Atoll", "AtollVocabulary", "AtollChanges", "AtollWire", "AtollQuery", "AtollStorage",
        "AtollEventLoop", "AtollTransport", "AtollNode", "AtollSimulation", argumentParser, deque,
      ]),

    // what several modules' tests share
    .target(
      name: "TestKit", dependencies: ["AtollChanges", "AtollVocabulary"], path: "Tests/TestKit",
      swiftSettings: settings),
    .target(
      name: "StoreTestKit", dependencies: ["Atoll", "TestKit"], path: "Tests/StoreTestKit",
      swiftSettings: settings),
    .target(
      name: "FuzzKit", dependencies: ["AtollVocabulary", "AtollChanges", "AtollWire"],
      path: "Tests/FuzzKit", swiftSettings: settings),
    .target(
      name: "LoopTestKit", dependencies: ["AtollEventLoop", "TestKit"], path: "Tests/LoopTestKit",
      swiftSettings: settings),

    tests("AtollVocabularyTests", ["AtollVocabulary"], exclude: ["Vectors"]),
    tests("AtollSQLiteTests", ["AtollSQLite", "AtollVocabulary", "CSQLite", "TestKit"]),
    tests("AtollQueryTests", ["AtollQuery", "AtollVocabulary"]),
    tests("AtollChangesTests", ["AtollChanges", "AtollVocabulary", "TestKit"]),
    tests("AtollLogTests", ["AtollLog", "AtollSQLite", "AtollChanges", "AtollVocabulary"]),
    tests("AtollEventLoopTests", ["AtollEventLoop", "AtollVocabulary", "LoopTestKit"]),
    tests(
      "AtollStorageTests",
      ["AtollQuery", "AtollStorage", "AtollSQLite", "AtollChanges", "AtollVocabulary", "TestKit"]),
    tests("AtollWireTests", ["AtollWire", "AtollChanges", "AtollVocabulary", "TestKit"]),
    tests(
      "AtollPresenceTests",
      [
        "AtollPresence", "AtollSQLite", "AtollEventLoop", "AtollWire", "AtollVocabulary",
        "LoopTestKit",
      ]),
    tests(
      "AtollReplicationTests",
      ["AtollReplication", "AtollWire", "AtollChanges", "AtollVocabulary", "TestKit"],
      exclude: ["Stories"]),
    tests(
      "AtollTransportTests",
      [
        "AtollTransport", "AtollEventLoop", "AtollWire", "AtollChanges", "AtollVocabulary",
        "LoopTestKit",
      ]),
    tests(
      "AtollInspectTests",
      [
        "AtollInspect", "AtollPresence", "AtollStorage", "AtollChanges", "AtollVocabulary",
        "TestKit",
      ]),
    tests(
      "AtollEditTests",
      ["AtollEdit", "AtollInspect", "AtollStorage", "AtollChanges", "AtollVocabulary", "TestKit"]),
    tests(
      "AtollStudioTests",
      [
        "AtollStudio", "AtollChanges", "AtollInspect", "AtollStorage", "AtollVocabulary", "TestKit",
      ],
      exclude: ["Clients"]),
    tests(
      "AtollNodeTests",
      [
        "AtollNode", "AtollSQLite", "AtollQuery", "AtollStorage", "AtollChanges", "AtollEventLoop",
        "AtollPresence", "AtollTransport", "AtollWire", "AtollVocabulary", "LoopTestKit", "TestKit",
        logging, metrics,
      ]),
    tests(
      "AtollDaemonTests",
      [
        "AtollDaemon", "AtollCommand", "AtollEventLoop", "AtollPresence", "AtollTransport",
        "AtollNode", "AtollStorage", "AtollSQLite", "AtollWire", "AtollChanges", "AtollVocabulary",
        "LoopTestKit", logging, metrics, "TestKit",
      ]),
    tests(
      "AtollTests",
      [
        "Atoll", "AtollQuery", "AtollStorage", "AtollSQLite", "AtollChanges", "AtollVocabulary",
        "TestKit", "StoreTestKit",
      ], exclude: ["Diagnostics/Samples"]),
    tests(
      "AtollSimulationTests",
      [
        "AtollSimulation", "Atoll", "AtollStorage", "AtollSQLite", "AtollChanges",
        "AtollVocabulary", "TestKit",
      ]),
    tests("AtollRealmTests", ["AtollRealm", "TestKit"]),
    tests("RealmSwiftTests", ["RealmSwift", "TestKit"], settings: applicationSettings),
    tests(
      "ScenarioTests",
      [
        "AtollQuery", "AtollStorage", "AtollReplication", "AtollNode", "AtollSQLite", "AtollWire",
        "AtollChanges", "AtollVocabulary", "TestKit",
      ], exclude: ["Scenarios.md", "Golden/0.1", "Golden/README.md", "Museum/Bugs"]),
    tests(
      "AtollCommandTests",
      [
        "AtollCommand", "AtollCluster", "AtollDaemon", "AtollEdit", "AtollStorage", "AtollSQLite",
        "AtollChanges", "AtollVocabulary", "TestKit",
      ]),
    tests(
      "ClusterTests",
      [
        "AtollCluster", "AtollCommand", "AtollDaemon", "Atoll", "AtollEventLoop",
        "AtollSimulation", "AtollTransport", "AtollWire", "AtollChanges", "AtollVocabulary",
        "LoopTestKit", "TestKit",
      ]),
    tests(
      "BrowserTests", ["AtollCluster", "AtollCommand", "AtollDaemon", "TestKit"],
      exclude: ["Pages"]),
    tests(
      "SyncTests",
      [
        "Atoll", "AtollRealm", "AtollPresence", "AtollNode", "AtollStorage", "AtollVocabulary",
        "AtollCluster", "AtollDaemon", "TestKit",
      ]),
    tests("FileTests", ["Atoll", "AtollRealm", "AtollStorage", "AtollVocabulary", "TestKit"]),
    tests("SnippetTests", ["AtollCluster", "TestKit"]),
    tests(
      "FuzzTests", ["FuzzKit", "AtollVocabulary", "TestKit"], exclude: ["Corpus", "README.md"]),
    tests(
      "QueryTests",
      [
        "Atoll", "AtollSQLite", "AtollQuery", "AtollStorage", "AtollVocabulary", "TestKit",
        "StoreTestKit",
      ]),
    tests("HouseTests", []),
  ],
  swiftLanguageModes: [.v6]
)

// libFuzzer brings a `main` of its own, so its programs are built alone: see `.ci/fuzz`.
if Context.environment["ATOLL_FUZZ"] != nil {
  package.targets += [
    executable("FuzzChangesets", ["FuzzKit"], path: "Tests/FuzzChangesets"),
    executable("FuzzFrames", ["FuzzKit"], path: "Tests/FuzzFrames"),
    executable("FuzzSnapshots", ["FuzzKit"], path: "Tests/FuzzSnapshots"),
  ]
}

// Sanitizers and the museum build some of the tests only: `ATOLL_TESTS="ScenarioTests HouseTests"`.
if let names = Context.environment["ATOLL_TESTS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// `make docs` writes the documentation; those who use the library do not download what writes it.
if Context.environment["ATOLL_DOCS"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
