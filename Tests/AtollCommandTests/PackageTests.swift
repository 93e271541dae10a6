import Foundation
import TestKit
import Testing

@testable import AtollCluster

/// The Debian package, of the programs that were built for the tests.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/dpkg-deb")))
struct PackageTests {
  private let folder = TemporaryFolder()
  private static let deploy = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("deploy").path

  private func run(_ program: String, _ arguments: String...) throws -> Command.Ending {
    let program = try Program(
      URL(fileURLWithPath: program), arguments, name: "package", cleanUp: CleanUp())
    let (code, lines) = try program.end(within: .seconds(120))
    return Command.Ending(code: code, lines: lines)
  }

  private func build() throws -> String {
    let programs = try Program.sibling("atoll").deletingLastPathComponent().path
    // Programs of a debug build are large, and compressing them takes longer than all else.
    let built = try run(
      "/usr/bin/env", "DPKG_DEB_COMPRESSOR_TYPE=none", Self.deploy + "/build-deb", programs,
      folder.path("out"))
    try #require(built.code == 0, "\(built.text)")
    return try #require(built.lines.last)
  }

  @Test func `issue 28.22: the package is installed, upgraded and removed in a root of its own`()
    throws
  {
    let package = try build()
    // issue 28.22: dpkg gives the root of the system the mode of the package's own.
    let listed = try run("/usr/bin/dpkg-deb", "--contents", package).lines
    #expect(listed.first { $0.hasSuffix(" ./") }?.hasPrefix("drwxr-xr-x root/root") == true)
    let root = folder.path("root")
    for path in ["var/lib/dpkg/info", "var/lib/dpkg/updates", "etc"] {
      try FileManager.default.createDirectory(
        atPath: "\(root)/\(path)", withIntermediateDirectories: true)
    }
    for file in ["status", "available"] {
      _ = FileManager.default.createFile(atPath: "\(root)/var/lib/dpkg/\(file)", contents: nil)
    }
    func dpkg(_ action: String, _ subject: String) throws -> Command.Ending {
      try run(
        "/usr/bin/dpkg", "--root=\(root)", "--force-not-root", "--force-depends",
        "--force-script-chrootless", "--log=/dev/null", action, subject)
    }
    func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: "\(root)/\(path)") }
    for _ in 1...2 {
      let installed = try dpkg("--install", package)
      #expect(installed.code == 0, "\(installed.text)")
    }
    let files = [
      "usr/bin/atolld", "usr/bin/atoll", "usr/lib/systemd/system/atolld.service",
      "usr/lib/systemd/system/atolld.socket", "usr/lib/sysusers.d/atoll.conf",
      "usr/share/bash-completion/completions/atoll", "usr/share/zsh/vendor-completions/_atolld",
      "usr/share/fish/vendor_completions.d/atoll.fish", "usr/share/man/man1/atolld.1.gz",
      "usr/share/man/man1/atoll-status.1.gz", "usr/share/doc/atoll/RUNBOOK.md",
      "usr/share/doc/atoll/copyright",
    ]
    for file in files { #expect(has(file), "\(file)") }
    for program in ["atoll", "atolld"] {
      let told = try run("\(root)/usr/bin/\(program)", "--version")
      #expect(told.code == 0 && package.contains("atoll_\(told.text)_"), "\(told.text)")
    }
    #expect(
      try String(contentsOfFile: "\(root)/etc/atoll/atolld.conf", encoding: .utf8).contains(
        "store = "))
    if has("etc/passwd") {
      #expect(
        try String(contentsOfFile: "\(root)/etc/passwd", encoding: .utf8).contains("atoll:"))
    }
    #expect(try dpkg("--remove", "atoll").code == 0)
    for file in files { #expect(!has(file), "\(file)") }
    #expect(has("etc/atoll/atolld.conf"), "settings stay until the package is purged")
    #expect(try dpkg("--purge", "atoll").code == 0)
    #expect(!has("etc/atoll/atolld.conf"))
  }

  @Test func `each command has a page, which names each of its flags`() throws {
    let output = folder.path("man")
    try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    let programs = try Program.sibling("atoll").deletingLastPathComponent().path
    let made = try run(Self.deploy + "/man-pages", programs, output)
    #expect(made.code == 0, "\(made.text)")
    let page = try String(contentsOfFile: output + "/atolld.1", encoding: .utf8)
    for words in [".TH \"ATOLLD\" 1", ".SH OPTIONS", "\\-\\-log\\-format", "SIGHUP", "\\-\\-check"]
    {
      #expect(page.contains(words), "\(words)")
    }
    let all = try FileManager.default.contentsOfDirectory(atPath: output)
    #expect(all.contains("atoll-import.1") && all.contains("atoll.1"))
    if FileManager.default.fileExists(atPath: "/usr/bin/groff") {
      for name in all {
        let read = try run(
          "/usr/bin/groff", "-man", "-Tutf8", "-K", "utf8", "-ww", "-z", "\(output)/\(name)")
        #expect(read.lines == [], "\(name)")
      }
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `each shell gets its completions`(shell: String) throws {
    for program in ["atoll", "atolld"] {
      let written = try run(
        Program.sibling(program).path, "--generate-completion-script", shell)
      #expect(written.code == 0)
      #expect(written.lines.count > 10)
    }
  }

  @Test func `the unit is sound, and hardened`() throws {
    guard FileManager.default.fileExists(atPath: "/usr/bin/systemd-analyze") else { return }
    let told = try run(
      "/usr/bin/systemd-analyze", "security", "--offline=true", "--no-pager",
      Self.deploy + "/atolld.service")
    let line = try #require(told.lines.last { $0.contains("Overall exposure level") })
    let score = try #require(line.firstMatch(of: /: (\d+\.\d)/).flatMap { Double($0.1) })
    #expect(score <= 1.5, "\(line)")
  }
}
