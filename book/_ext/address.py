"""Buttons that need the repository's address (Colab, repository, issue) follow _config.yml."""


def setup(app):
    app.connect("config-inited", buttons, priority=0)
    return {"parallel_read_safe": True}


def buttons(app, config):
    """Show them where `repository: url` is set; where it is empty, none, instead of dead ones."""
    options = config.html_theme_options
    known = bool(options.get("repository_url"))
    options["use_repository_button"] = options["use_issues_button"] = known
    if not known:
        options["launch_buttons"] = {}
